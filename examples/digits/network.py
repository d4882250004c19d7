"""The network of the digits example: two small convolutions and one dense layer, on numpy alone.

What is here: the weights, the forward pass, its gradients and the training loop. What is not: the data and
the files made of them (`train.py`), and the formats (`export.py`).

Arrays are NHWC, float32: pictures [n, 8, 8, 1] with values from 0 to 1, probabilities [n, 10].
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]


@dataclass
class Weights:
    """Kernels are [height, width, in, out]; `dense` is [in, out], its rows ordered height, width, channel."""

    kernel1: Array  # [3, 3, 1, 16]
    bias1: Array
    kernel2: Array  # [3, 3, 16, 32]
    bias2: Array
    dense: Array  # [2 * 2 * 32, 10]
    bias3: Array

    @classmethod
    def random(cls, generator: np.random.Generator) -> Weights:
        """He initialisation: what keeps the variance through a layer with ReLU."""

        def scaled(*shape: int) -> Array:
            deviation = (2 / np.prod(shape[:-1])) ** 0.5
            return (generator.standard_normal(shape) * deviation).astype(np.float32)

        def zeros(n: int) -> Array:
            return np.zeros(n, np.float32)

        return cls(
            scaled(3, 3, 1, 16), zeros(16), scaled(3, 3, 16, 32), zeros(32), scaled(2 * 2 * 32, 10), zeros(10)
        )

    def arrays(self) -> list[Array]:
        return [getattr(self, field.name) for field in fields(self)]


def patches(x: Array) -> Array:
    """Every 3x3 neighbourhood, zeros outside: [n, h, w, c] -> [n, h, w, 9 * c]."""
    _, h, w, _ = x.shape
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    return np.concatenate([padded[:, i : i + h, j : j + w] for i in range(3) for j in range(3)], axis=3)


def unpatched(gradient: Array) -> Array:
    """The transpose of `patches`: [n, h, w, 9 * c] -> [n, h, w, c]."""
    n, h, w, width = gradient.shape
    c = width // 9
    padded = np.zeros((n, h + 2, w + 2, c), np.float32)
    for k in range(9):
        i, j = divmod(k, 3)
        padded[:, i : i + h, j : j + w] += gradient[..., k * c : (k + 1) * c]
    return padded[:, 1:-1, 1:-1]


def windows(x: Array) -> Array:
    """The 2x2 windows of a pooling: [n, h, w, c] -> [n, h/2, w/2, 4, c]."""
    n, h, w, c = x.shape
    return x.reshape(n, h // 2, 2, w // 2, 2, c).transpose(0, 1, 3, 2, 4, 5).reshape(n, h // 2, w // 2, 4, c)


def unwindowed(x: Array) -> Array:
    """The inverse of `windows`."""
    n, h, w, _, c = x.shape
    return x.reshape(n, h, w, 2, 2, c).transpose(0, 1, 3, 2, 4, 5).reshape(n, h * 2, w * 2, c)


def softmax(x: Array) -> Array:
    powers = np.exp(x - x.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True), np.float32)


@dataclass
class Block:
    """Convolution, ReLU and 2x2 max pooling, and what their gradients need to remember."""

    patches: Array
    windows: Array
    output: Array

    @classmethod
    def forward(cls, x: Array, kernel: Array, bias: Array) -> Block:
        seen = patches(x)
        active = windows(np.maximum(seen @ kernel.reshape(-1, kernel.shape[3]) + bias, 0))
        return cls(seen, active, active.max(axis=3))

    def backward(self, gradient: Array, kernel: Array) -> tuple[Array, Array, Array]:
        """Gradients of input, kernel and bias. Equal maxima share the gradient of their window."""
        chosen = (self.windows == self.output[:, :, :, None]) & (self.windows > 0)
        shares = chosen / np.maximum(chosen.sum(axis=3, keepdims=True), 1)
        before = unwindowed((shares * gradient[:, :, :, None]).astype(np.float32))
        flat = before.reshape(-1, before.shape[3])
        of_kernel = (self.patches.reshape(len(flat), -1).T @ flat).reshape(kernel.shape)
        return unpatched(before @ kernel.reshape(-1, kernel.shape[3]).T), of_kernel, flat.sum(axis=0)


def probabilities(weights: Weights, pictures: Array) -> Array:
    first = Block.forward(pictures, weights.kernel1, weights.bias1)
    second = Block.forward(first.output, weights.kernel2, weights.bias2)
    return softmax(second.output.reshape(len(pictures), -1) @ weights.dense + weights.bias3)


def gradients(weights: Weights, pictures: Array, labels: NDArray[np.intp]) -> list[Array]:
    """Of the mean cross entropy, in the order of `Weights.arrays`."""
    first = Block.forward(pictures, weights.kernel1, weights.bias1)
    second = Block.forward(first.output, weights.kernel2, weights.bias2)
    flat = second.output.reshape(len(pictures), -1)
    error = softmax(flat @ weights.dense + weights.bias3)
    error[np.arange(len(labels)), labels] -= 1
    error /= len(labels)
    into_second = (error @ weights.dense.T).reshape(second.output.shape)
    into_first, kernel2, bias2 = second.backward(into_second, weights.kernel2)
    _, kernel1, bias1 = first.backward(into_first, weights.kernel1)
    return [kernel1, bias1, kernel2, bias2, flat.T @ error, error.sum(axis=0)]


def shifted(pictures: Array, generator: np.random.Generator) -> Array:
    """Each picture moved by up to one pixel in each direction: a digit is the same digit a pixel further."""
    padded = np.pad(pictures, ((0, 0), (1, 1), (1, 1), (0, 0)))
    offsets = generator.integers(0, 3, (len(pictures), 2))
    return np.stack([picture[i : i + 8, j : j + 8] for picture, (i, j) in zip(padded, offsets, strict=True)])


def train(
    pictures: Array,
    labels: NDArray[np.intp],
    generator: np.random.Generator,
    epochs: int = 60,
    batch: int = 32,
) -> Weights:
    """Adam on the cross entropy, the step falling to zero along a half cosine."""
    weights = Weights.random(generator)
    means = [np.zeros_like(array) for array in weights.arrays()]
    squares = [np.zeros_like(array) for array in weights.arrays()]
    steps = epochs * (len(pictures) // batch)
    step = 0
    for _ in range(epochs):
        order = generator.permutation(len(pictures))
        for start in range(0, len(pictures) - batch + 1, batch):
            chosen = order[start : start + batch]
            step += 1
            rate = 0.003 * (1 + np.cos(np.pi * step / steps)) / 2
            found = gradients(weights, shifted(pictures[chosen], generator), labels[chosen])
            for array, gradient, mean, square in zip(weights.arrays(), found, means, squares, strict=True):
                mean += 0.1 * (gradient - mean)
                square += 0.001 * (gradient**2 - square)
                ratio = (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
                array -= (rate * ratio).astype(np.float32)
    return weights
