"""The kernels of `kernels/kern.c` as somebody would write them with numpy, where it helps: a column of
`compare.py`.

Each takes the same number and returns the same checksum as the guest's function of that name. `matmul` adds
in another order, so that last bits differ. What is not here: kernels in which each step needs the one before.
"""

from __future__ import annotations

import numpy as np


def sieve(n: int) -> int:
    prime = np.ones(n + 1, np.bool_)
    prime[:2] = False
    for i in range(2, n + 1):
        if prime[i]:
            prime[2 * i :: i] = False
    return int(np.count_nonzero(prime))


def checksum(values: np.ndarray) -> int:
    """The sum of bits times powers of 31, modulo 2^32."""
    powers = np.full(values.size, 31, np.uint32)
    powers[0] = 1
    np.multiply.accumulate(powers, out=powers)
    return int(np.add.reduce(values.view(np.uint32)[::-1] * powers, dtype=np.uint32))


def matmul(n: int) -> int:
    i = np.arange(n * n, dtype=np.uint32)
    a = (i % 7).astype(np.float32) * np.float32(0.25) + np.float32(0.1)
    b = (i % 11).astype(np.float32) * np.float32(0.125) - np.float32(0.3)
    return checksum((a.reshape(n, n) @ b.reshape(n, n)).reshape(-1))


def preproc(n: int) -> int:
    i = np.arange(n * n * 3, dtype=np.uint32)
    image = (i * 13 + (i >> 7)).astype(np.uint8).reshape(n, n, 3)
    mean, deviation = np.float32([0.485, 0.456, 0.406]), np.float32([0.229, 0.224, 0.225])
    tensor = (image.astype(np.float32) / np.float32(255) - mean) / deviation
    return checksum(np.ascontiguousarray(tensor.transpose(2, 0, 1)).reshape(-1)[::97].copy())


def strmem(n: int) -> int:
    source = np.zeros(n + 1, np.uint8)
    source[:n] = 1 + np.arange(n) % 255
    target = np.zeros(n, np.uint8)
    total = 0
    for _ in range(4):
        length = int(np.argmin(source))
        target[:length] = source[:length]
        total += length + int(target[length - 1])
    return total


def qsort_(n: int) -> int:
    powers = np.full(n + 1, 1664525, np.uint32)
    powers[0] = 1
    np.multiply.accumulate(powers, out=powers)
    sums = np.add.accumulate(powers[:-1], dtype=np.uint32)
    seeds = powers[1:] * np.uint32(42) + sums * np.uint32(1013904223)
    values = np.sort((seeds ^ seeds >> np.uint32(16)).view(np.int32))
    return checksum(values)
