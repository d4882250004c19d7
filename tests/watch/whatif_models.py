"""Small networks for tests of `whatif`: one that recognises pictures, and many that were never trained."""

from __future__ import annotations

from typing import Any

import numpy

from tests.nn.backends.onnx_writer import Model, node

SIDE = 32
MEAN = numpy.array([0.485, 0.456, 0.406])
DEVIATION = numpy.array([0.229, 0.224, 0.225])


def picture(seed: int, height: int = SIDE, width: int = SIDE) -> Any:
    """A picture with rows, columns, an edge and noise, as u8 [height, width, 3]."""
    order = numpy.random.default_rng(seed)
    row, column = numpy.mgrid[:height, :width]
    slope = order.uniform(-0.4, 0.4)
    sky = numpy.where(height * order.uniform(0.3, 0.7) + slope * column > row, 0.9, 0.25)
    waves = [
        order.uniform(0.5, 1) * sky
        + 0.15 * numpy.sin(row / order.uniform(3, 9) + column / order.uniform(-9, 9))
        for _ in range(3)
    ]
    pixels = numpy.stack(waves, 2) + order.normal(0, 0.03, (height, width, 3))
    return (255 * pixels).clip(0, 255).astype("u1")


def encoded(pixels: Any, kind: str) -> Any:
    """Pixels [height, width, channels] as a model wants them."""
    unit = pixels.astype("f8") / 255
    return {"unit": unit, "signed": 2 * unit - 1, "raw": 255 * unit}.get(kind, (unit - MEAN) / DEVIATION)


def planar(pixels: Any) -> Any:
    """As f32 [1, channels, height, width]."""
    return numpy.ascontiguousarray(pixels.transpose(2, 0, 1)[None]).astype("f4")


def recogniser(pictures: Any, kind: str, *, uneven: float = 0, is_linear: bool = True) -> bytes:
    """An ONNX model that knows these pictures, encoded in this way: the class is the picture's index. The
    last classes win where pixels are much brighter on average than 0.5, if it is `uneven`. If it
    isn't linear, what speaks against a class counts for hardly anything."""
    known = numpy.stack([planar(encoded(one, kind)).reshape(-1) for one in pictures]).astype("f8")
    planes = known.reshape(len(known), 3, -1)
    shapes = (planes - planes.mean(axis=2, keepdims=True)).reshape(len(known), -1)
    weights = 16 * numpy.linalg.pinv(shapes)  # logits of 16 for the picture itself, 0 for the others
    favour = uneven * numpy.linspace(-1, 1, len(known))
    weights, bias = weights + favour / len(weights), -favour / 2
    nodes = [
        node("Flatten", ["x"], ["f"]),
        node("Gemm", ["f", "w", "b"], ["l"]),
        node("Sigmoid", ["l"], ["s"]),
        node("Identity", ["l"], ["r"]) if is_linear else node("Mul", ["l", "s"], ["r"]),
        node("Softmax", ["r"], ["y"], axis=1),
    ]
    size = [1, *pictures[0].transpose(2, 0, 1).shape]
    return Model(
        nodes,
        {"x": ("float32", size)},
        {"y": ("float32", [1, len(pictures)])},
        {"w": weights.astype("f4"), "b": bias.astype("f4")},
    ).data()


def untrained(seed: int) -> tuple[bytes, tuple[int, ...]]:
    """A network with random weights, and the shape of its input."""
    order = numpy.random.default_rng(seed)
    classes, gain = int(order.choice([2, 10, 100, 1000])), float(order.choice([0.3, 1, 3, 10]))
    side = int(order.choice([16, 28, 32]))
    channels = 1 if seed % 5 == 4 else 3
    weights: dict[str, Any] = {}
    nodes, value, width = [], "x", channels
    for layer in range(int(order.integers(0, 4))):
        after = 8 * (layer + 1)
        weights[f"k{layer}"] = order.normal(0, (2 / (9 * width)) ** 0.5, (after, width, 3, 3))
        weights[f"c{layer}"] = order.normal(0, 0.3, after)
        attributes: dict[str, Any] = {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "strides": [2, 2]}
        nodes.append(node("Conv", [value, f"k{layer}", f"c{layer}"], [f"v{layer}"], **attributes))
        nodes.append(node("Relu", [f"v{layer}"], [f"r{layer}"]))
        value, width = f"r{layer}", after
    if nodes and order.integers(2):
        nodes.append(node("GlobalAveragePool", [value], ["p"]))
        value, size = "p", width
    else:
        halvings = (len(nodes) + 1) // 2
        length = side
        for _ in range(halvings):
            length = (length + 1) // 2
        size = width * length * length
    weights["w"] = order.normal(0, 2 * gain / size**0.5, (size, classes))
    weights["b"] = order.normal(0, 0.3, classes)
    nodes += [node("Flatten", [value], ["f"]), node("Gemm", ["f", "w", "b"], ["l"])]
    nodes.append(
        node("Softmax", ["l"], ["y"], axis=1) if order.integers(2) else node("Identity", ["l"], ["y"])
    )
    model = Model(
        nodes,
        {"x": ("float32", [1, channels, side, side])},
        {"y": ("float32", [1, classes])},
        {name: array.astype("f4") for name, array in weights.items()},
    )
    return model.data(), (1, channels, side, side)
