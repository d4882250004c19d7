"""Functions of WASI 0.2 that are no files: clocks, random numbers, the command line, terminals and sockets,
with values that no program gives."""

from __future__ import annotations

import os
import pty
from enum import Enum
from typing import Any

import pytest

from pywasm_nn import Capture, Err, GuestExit, HostError, MemoryDirectory, Trap, Wasi
from pywasm_nn.wasi import Clocks

from ..component.components import component
from .p2_guest import CREATE, READ, WRITE, Open, Ours

BOTH = READ | WRITE


def test_clocks_go_on_and_say_what_they_are(begin: Open, engine: str) -> None:
    guest = begin(Wasi(), engine=engine)
    one, two = guest("now"), guest("now")
    assert 0 < one <= two
    assert guest("resolution") > 0
    seconds, rest = guest("wall-clock now")
    assert seconds > 1_600_000_000
    assert rest < 1_000_000_000
    assert guest("wall-clock resolution")[1] < 1_000_000_000


@pytest.mark.parametrize("nanoseconds", [-1, -(1 << 63), 1 << 100])
def test_a_wall_clock_that_shows_no_datetime(begin: Open, nanoseconds: int) -> None:
    guest = begin(Wasi(clocks=Clocks(realtime=lambda: nanoseconds)))
    try:
        seconds, rest = guest("wall-clock now")
    except (Trap, HostError):
        return
    assert 0 <= rest < 1_000_000_000
    assert seconds < 1 << 64


def seen(guest: Ours) -> list[Any]:
    """All that a guest can see of time and chance."""
    root = guest.root()
    guest("pollable.block", guest("subscribe-duration", 12345))
    guest.opened(root, "new", BOTH, CREATE)
    return [
        guest("now"), guest("resolution"), guest("wall-clock now"), guest("wall-clock resolution"),
        guest("get-random-bytes", 20), guest("get-random-u64"), guest("get-insecure-random-bytes", 20),
        guest("get-insecure-random-u64"), guest("insecure-seed"), guest("descriptor.stat-at", root, 0, "new"),
        guest("descriptor.metadata-hash", root), guest("descriptor.metadata-hash-at", root, 0, "new"),
    ]  # fmt: skip


def test_equal_seeds_give_equal_runs(begin: Open) -> None:
    runs = [seen(begin(Wasi(seed=seed, dirs={"/": MemoryDirectory()}))) for seed in (1, 1, 2)]
    assert runs[0] == runs[1]
    for index in (4, 5):
        assert runs[0][index] != runs[2][index]


def test_random_numbers_are_not_the_same(begin: Open) -> None:
    guest = begin(Wasi())
    assert guest("get-random-bytes", 32) != guest("get-random-bytes", 32)
    assert guest("get-random-u64") != guest("get-random-u64")
    assert guest("get-insecure-random-bytes", 0) == b""
    assert guest("insecure-seed") != (0, 0)


COMMAND = """
(import "wasi:cli/environment@0.2.0" (instance $environment
  (export "get-environment" (func (result (list (tuple string string)))))
  (export "get-arguments" (func (result (list string))))
  (export "initial-cwd" (func (result (option string))))))
(import "wasi:cli/exit@0.2.12" (instance $exit
  (export "exit" (func (param "status" (result)))) (export "exit-with-code" (func (param "status-code" u8)))))
(alias export $environment "get-environment" (func $e)) (export "variables" (func $e))
(alias export $environment "get-arguments" (func $a)) (export "arguments" (func $a))
(alias export $environment "initial-cwd" (func $c)) (export "cwd" (func $c))
(alias export $exit "exit" (func $x)) (core func $lx (canon lower (func $x)))
(alias export $exit "exit-with-code" (func $w)) (core func $lw (canon lower (func $w)))
(core module $M (import "x" "x" (func $x (param i32))) (import "x" "w" (func $w (param i32)))
  (func (export "x") (param i32) (call $x (local.get 0)) unreachable)
  (func (export "w") (param i32) (call $w (local.get 0)) unreachable))
(core instance $m (instantiate $M (with "x" (instance (export "x" (func $lx)) (export "w" (func $lw))))))
(alias core export $m "x" (core func $cx)) (alias core export $m "w" (core func $cw))
(func (export "exit") (param "status" u32) (canon lift (core func $cx)))
(func (export "exit-with-code") (param "status-code" u32) (canon lift (core func $cw)))
"""


def test_every_exit_code_arrives() -> None:
    made = component(COMMAND)
    for code in range(256):
        with made.instantiate(wasi=Wasi()) as instance, pytest.raises(GuestExit) as end:
            instance.exports.exit_with_code(code)
        assert end.value.code == code


def test_an_exit_without_a_code_and_codes_that_are_none(engine: str) -> None:
    made = component(COMMAND)
    for status, code in ((0, 0), (1, 1)):
        with made.instantiate(wasi=Wasi(), engine=engine) as instance:
            with pytest.raises(GuestExit) as end:
                instance.exports.exit(status)
            assert end.value.code == code
            with pytest.raises(Trap):
                instance.exports.exit(status)
    with made.instantiate(wasi=Wasi(), engine=engine) as instance, pytest.raises(Trap):
        instance.exports.exit(2)  # no case of a result
    with made.instantiate(wasi=Wasi(), engine=engine) as instance, pytest.raises(GuestExit) as end:
        instance.exports.exit_with_code(0x1FF)  # the ABI takes the low byte
    assert end.value.code == 255


def test_variables_and_arguments_arrive_whatever_they_are() -> None:
    env = {"A": "b=c", "EMPTY": "", "ü": "漢字", "BAD": "x\udcff"}
    with component(COMMAND).instantiate(wasi=Wasi(args=["a", b"\xff\xfe", "ü"], env=env)) as instance:
        variables = dict(instance.exports.variables())
        assert variables == instance.exports.variables() or len(variables) == 4
        assert {name: variables[name] for name in ("A", "EMPTY", "ü")} == {
            "A": "b=c",
            "EMPTY": "",
            "ü": "漢字",
        }
        variables["BAD"].encode()  # text, whatever stands for the byte
        arguments = instance.exports.arguments()
        assert [arguments[0], arguments[2]] == ["a", "ü"]
        arguments[1].encode()
        assert instance.exports.cwd() is None


TERMINALS = "".join(
    f"""
(import "wasi:cli/terminal-{way}@0.2.0" (instance $t{way} (export "terminal-{way}" (type $t (sub resource)))))
(alias export $t{way} "terminal-{way}" (type $T{way}))
"""
    for way in ("input", "output")
) + "".join(
    f"""
(import "wasi:cli/terminal-{name}@0.2.0" (instance $i{name}
  (alias outer 1 $T{way} (type $O)) (export "terminal-{way}" (type $t (eq $O)))
  (export "get-terminal-{name}" (func (result (option (own $t)))))))
(alias export $i{name} "get-terminal-{name}" (func $f{name}))
(export "{name}" (func $f{name}))
"""
    for name, way in {"stdin": "input", "stdout": "output", "stderr": "output"}.items()
)


def test_a_terminal_is_one_only_if_it_is() -> None:
    made = component(TERMINALS)
    with made.instantiate(wasi=Wasi(stdin=b"", stdout=Capture(), stderr=Capture())) as instance:
        exports = instance.exports
        assert [exports.stdin(), exports.stdout(), exports.stderr()] == [None, None, None]
    ours, theirs = pty.openpty()
    with os.fdopen(ours, "rb"), os.fdopen(theirs, "rb", buffering=0) as terminal:
        wasi = Wasi(stdin=terminal, stdout=Capture(), stderr=Capture())
        instance = made.instantiate(wasi=wasi)
        assert instance.exports.stdin() is not None
        assert instance.exports.stdout() is None
        instance.close()


SOCKETS = """
(import "wasi:sockets/network@0.2.0" (instance $network
  (export "network" (type $n (sub resource)))
  (type $codes (enum "unknown" "access-denied" "not-supported" "invalid-argument" "out-of-memory" "timeout"
    "concurrency-conflict" "not-in-progress" "would-block" "invalid-state" "new-socket-limit"
    "address-not-bindable" "address-in-use" "remote-unreachable" "connection-refused" "connection-reset"
    "connection-aborted" "datagram-too-large" "name-unresolvable" "temporary-resolver-failure"
    "permanent-resolver-failure")) (export "error-code" (type $c (eq $codes)))
  (type $families (enum "ipv4" "ipv6")) (export "ip-address-family" (type $f (eq $families)))))
(alias export $network "network" (type $Network))
(alias export $network "error-code" (type $Code))
(alias export $network "ip-address-family" (type $Family))
(import "wasi:sockets/instance-network@0.2.0" (instance $instance
  (alias outer 1 $Network (type $N)) (export "network" (type $n (eq $N)))
  (export "instance-network" (func (result (own $n))))))
(import "wasi:sockets/ip-name-lookup@0.2.0" (instance $lookup
  (alias outer 1 $Network (type $N)) (export "network" (type $n (eq $N)))
  (alias outer 1 $Code (type $C)) (export "error-code" (type $c (eq $C)))
  (export "resolve-address-stream" (type $s (sub resource)))
  (export "resolve-addresses"
    (func (param "network" (borrow $n)) (param "name" string) (result (result (own $s) (error $c)))))))
(import "wasi:sockets/tcp-create-socket@0.2.0" (instance $tcp
  (alias outer 1 $Code (type $C)) (export "error-code" (type $c (eq $C)))
  (alias outer 1 $Family (type $F)) (export "ip-address-family" (type $f (eq $F)))
  (export "tcp-socket" (type $s (sub resource)))
  (export "create-tcp-socket" (func (param "address-family" $f) (result (result (own $s) (error $c)))))))
(import "wasi:sockets/udp-create-socket@0.2.0" (instance $udp
  (alias outer 1 $Code (type $C)) (export "error-code" (type $c (eq $C)))
  (alias outer 1 $Family (type $F)) (export "ip-address-family" (type $f (eq $F)))
  (export "udp-socket" (type $s (sub resource)))
  (export "create-udp-socket" (func (param "address-family" $f) (result (result (own $s) (error $c)))))))
(alias export $instance "instance-network" (func $a)) (export "network" (func $a))
(alias export $lookup "resolve-addresses" (func $b)) (export "resolve" (func $b))
(alias export $tcp "create-tcp-socket" (func $t)) (export "tcp" (func $t))
(alias export $udp "create-udp-socket" (func $u)) (export "udp" (func $u))
"""


def test_sockets_are_denied() -> None:
    family = Enum("family", {"IPV4": "ipv4", "IPV6": "ipv6"})
    with component(SOCKETS).instantiate(wasi=Wasi()) as instance:
        exports = instance.exports
        network = exports.network()
        for call in (
            lambda: exports.resolve(network, "localhost"),
            lambda: exports.tcp(family.IPV4),
            lambda: exports.udp(family.IPV6),
        ):
            with pytest.raises(Err) as caught:
                call()
            assert caught.value.value.value == "access-denied"
