"""wasi:random: all three kinds use the same source of random numbers, chosen by the host.

https://github.com/WebAssembly/WASI/tree/v0.2.12/proposals/random/wit
"""

from __future__ import annotations

from ...component.canonical.helpers import trap
from ...component.interface import U64, Interface
from .guest import Guest

RANDOM = Interface("wasi:random/random")
INSECURE = Interface("wasi:random/insecure")
INSECURE_SEED = Interface("wasi:random/insecure-seed")
MOST = 1 << 26
"""The maximum of bytes in one call, as in wasmtime."""


def random_bytes(guest: Guest, count: int) -> bytes:
    """Random bytes; a request for more than `MOST` traps."""
    if count > MOST:
        trap(f"{count} random bytes at once, at most {MOST} are given")
    data = bytearray(count)
    guest.system.fill_random(memoryview(data), guest.patience)
    return bytes(data)


def random_u64(guest: Guest) -> int:
    return int.from_bytes(guest.system.random(8), "little")


@RANDOM.function
def get_random_bytes(guest: Guest, len_: U64) -> bytes:
    return random_bytes(guest, len_)


@RANDOM.function
def get_random_u64(guest: Guest) -> U64:
    return random_u64(guest)


@INSECURE.function
def get_insecure_random_bytes(guest: Guest, len_: U64) -> bytes:
    return random_bytes(guest, len_)


@INSECURE.function
def get_insecure_random_u64(guest: Guest) -> U64:
    return random_u64(guest)


@INSECURE_SEED.function
def insecure_seed(guest: Guest) -> tuple[U64, U64]:
    return random_u64(guest), random_u64(guest)


INTERFACES = RANDOM, INSECURE, INSECURE_SEED
