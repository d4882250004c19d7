"""The kernels of `kernels/kern.c` as somebody would write them in Python: what `compare.py` measures against.

Each takes the same number and returns the same checksum as the guest's function of that name. Two don't:
`matmul` and `preproc` calculate in double precision, as Python does, so that last bits differ.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Callable

LOW32 = 0xFFFFFFFF
LOW64 = 0xFFFFFFFFFFFFFFFF


def fib(n: int) -> int:
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def loop32(n: int) -> int:
    x, y = 12345, 6789
    for i in range(n):
        x = (x * 1664525 + 1013904223) & LOW32
        y ^= x >> 13
        y = (y << 5 | y >> 27) & LOW32
        if y & 0x80000000:
            x = (x + y) & LOW32
        else:
            x = (x - i) & LOW32
    return x ^ y


def loop64(n: int) -> int:
    x, s = 88172645463325252, 0
    for _ in range(n):
        x ^= (x << 13) & LOW64
        x ^= x >> 7
        x ^= (x << 17) & LOW64
        s = (s + x * 0x9E3779B97F4A7C15) & LOW64
        if s >> 63:
            s = (s + 3) & LOW64
    return (s ^ s >> 32) & LOW32


def sieve(n: int) -> int:
    prime = bytearray(b"\1") * (n + 1)
    count = 0
    for i in range(2, n + 1):
        if prime[i]:
            count += 1
            for j in range(2 * i, n + 1, i):
                prime[j] = 0
    return count


def checksum(values: array[float]) -> int:
    result = 0
    for (bits,) in struct.iter_unpack("<I", values.tobytes()):
        result = (result * 31 + bits) & LOW32
    return result


def matmul(n: int) -> int:
    a = array("f", [(i % 7) * 0.25 + 0.1 for i in range(n * n)])
    b = array("f", [(i % 11) * 0.125 - 0.3 for i in range(n * n)])
    c = array("f", bytes(4 * n * n))
    for i in range(n):
        for j in range(n):
            total = 0.0
            for k in range(n):
                total += a[i * n + k] * b[k * n + j]
            c[i * n + j] = total
    return checksum(c)


ROUND = (
    0x428A2F98, 0x71374491, 0xB5C0FBCF, 0xE9B5DBA5, 0x3956C25B, 0x59F111F1, 0x923F82A4, 0xAB1C5ED5,
    0xD807AA98, 0x12835B01, 0x243185BE, 0x550C7DC3, 0x72BE5D74, 0x80DEB1FE, 0x9BDC06A7, 0xC19BF174,
    0xE49B69C1, 0xEFBE4786, 0x0FC19DC6, 0x240CA1CC, 0x2DE92C6F, 0x4A7484AA, 0x5CB0A9DC, 0x76F988DA,
    0x983E5152, 0xA831C66D, 0xB00327C8, 0xBF597FC7, 0xC6E00BF3, 0xD5A79147, 0x06CA6351, 0x14292967,
    0x27B70A85, 0x2E1B2138, 0x4D2C6DFC, 0x53380D13, 0x650A7354, 0x766A0ABB, 0x81C2C92E, 0x92722C85,
    0xA2BFE8A1, 0xA81A664B, 0xC24B8B70, 0xC76C51A3, 0xD192E819, 0xD6990624, 0xF40E3585, 0x106AA070,
    0x19A4C116, 0x1E376C08, 0x2748774C, 0x34B0BCB5, 0x391C0CB3, 0x4ED8AA4A, 0x5B9CCA4F, 0x682E6FF3,
    0x748F82EE, 0x78A5636F, 0x84C87814, 0x8CC70208, 0x90BEFFFA, 0xA4506CEB, 0xBEF9A3F7, 0xC67178F2,
)  # fmt: skip


def sha256(n: int) -> int:
    data = bytes((i * 7 + (i >> 8)) & 255 for i in range(n)) + b"\x80" + bytes(55) + struct.pack(">Q", n * 8)
    state = [0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19]
    for start in range(0, len(data), 64):
        w = list(struct.unpack_from(">16I", data, start))
        for i in range(16, 64):
            x, y = w[i - 15], w[i - 2]
            s0 = (x >> 7 | x << 25) ^ (x >> 18 | x << 14) ^ x >> 3
            s1 = (y >> 17 | y << 15) ^ (y >> 19 | y << 13) ^ y >> 10
            w.append((w[i - 16] + s0 + w[i - 7] + s1) & LOW32)
        a, b, c, d, e, f, g, h = state
        for k, word in zip(ROUND, w, strict=True):
            s1 = ((e >> 6 | e << 26) ^ (e >> 11 | e << 21) ^ (e >> 25 | e << 7)) & LOW32
            t = h + s1 + (e & f ^ ~e & g) + k + word
            s0 = ((a >> 2 | a << 30) ^ (a >> 13 | a << 19) ^ (a >> 22 | a << 10)) & LOW32
            u = s0 + (a & b ^ a & c ^ b & c)
            a, b, c, d, e, f, g, h = (t + u) & LOW32, a, b, c, (d + t) & LOW32, e, f, g
        state = [(x + y) & LOW32 for x, y in zip(state, (a, b, c, d, e, f, g, h), strict=True)]
    return state[0]


def crc32(n: int) -> int:
    table = []
    for c in range(256):
        for _ in range(8):
            c = 0xEDB88320 ^ c >> 1 if c & 1 else c >> 1
        table.append(c)
    data = bytes((i * 7 + (i >> 8)) & 255 for i in range(n))
    c = LOW32
    for byte in data:
        c = table[(c ^ byte) & 255] ^ c >> 8
    return c ^ LOW32


def preproc(n: int) -> int:
    image = bytes((i * 13 + (i >> 7)) & 255 for i in range(n * n * 3))
    tensor = array("f", bytes(12 * n * n))
    k = 0
    for channel, (mean, deviation) in enumerate(((0.485, 0.229), (0.456, 0.224), (0.406, 0.225))):
        for i in range(channel, n * n * 3, 3):
            tensor[k] = (image[i] / 255.0 - mean) / deviation
            k += 1
    return checksum(tensor[::97])


def vm(n: int) -> int:
    program = (0, 10, 1, 0, 2, 1, 3, 0, 4, 1, 5, 0, 6, 7, 4, 8, 3, 9, 2, 11, 1, 12, 4, 13)
    acc, x, y, z, count, pc = 0, 1, 2, 3, n, 0
    while True:
        op = program[pc]
        pc += 1
        if op == 13:
            return acc ^ x ^ y ^ z
        if op == 6:
            acc = (acc * 1103515245 + 12345) & LOW32
            continue
        value = program[pc]
        pc += 1
        if op == 0:
            acc = value
        elif op == 1:
            x = (acc + value) & LOW32
        elif op == 2:
            acc = (acc + x * value) & LOW32
        elif op == 3:
            acc ^= (y + value) & LOW32
        elif op == 4:
            y = (y + acc + value) & LOW32
        elif op == 5:
            z = (z << 1 & LOW32) ^ acc ^ value
        elif op == 7:
            x ^= acc >> value
        elif op == 8:
            y = (y - (x << value)) & LOW32
        elif op == 9:
            z = (z + (y >> value)) & LOW32
        elif op == 10:
            acc = (acc + z - value) & LOW32
        elif op == 11:
            acc = (acc - (z & (value | 255))) & LOW32
        elif op == 12:
            count -= 1
            if count:
                pc = value


def strmem(n: int) -> int:
    source = bytearray(1 + i % 255 for i in range(n)) + b"\0"
    target = bytearray(n)
    total = 0
    for _ in range(4):
        length = 0
        while source[length]:
            length += 1
        for i in range(length):
            target[i] = source[i]
        total += length + target[length - 1]
    return total


def qsort_(n: int) -> int:
    seed = 42
    values = []
    for _ in range(n):
        seed = (seed * 1664525 + 1013904223) & LOW32
        value = seed ^ seed >> 16
        values.append(value - (1 << 32) if value >> 31 else value)

    def sort(low: int, high: int) -> None:
        while low < high:
            pivot, i, j = values[(low + high) >> 1], low, high
            while i <= j:
                while values[i] < pivot:
                    i += 1
                while values[j] > pivot:
                    j -= 1
                if i <= j:
                    values[i], values[j] = values[j], values[i]
                    i += 1
                    j -= 1
            if j - low < high - i:
                sort(low, j)
                low = i
            else:
                sort(i, high)
                high = j

    sort(0, n - 1)
    result = 0
    for value in values:
        result = (result * 31 + value) & LOW32
    return result


def icall(n: int) -> int:
    functions: list[Callable[[int, int], int]] = [
        lambda a, b: (a + b) & LOW32,
        lambda a, b: (a - b) & LOW32,
        lambda a, b: (a * b) & LOW32,
        lambda a, b: a ^ b,
    ]
    result = 1
    for i in range(n):
        result = functions[(result >> 3) & 3](result, i + 7)
    return result
