"""Train the network of this example and write everything that is made of it: models, pictures, labels.

    python train.py            needs numpy, scikit-learn, onnx, openvino, ai-edge-litert

The data is scikit-learn's digits: 1797 pictures of 8x8 pixels in 17 shades, written by 43 people. A fifth is
held out. The seed is fixed: the same versions on the same kind of processor give the same files.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from export import write_onnx, write_openvino, write_tflite
from network import Array, probabilities, train
from sklearn.datasets import load_digits

HERE = Path(__file__).parent
SHADES = 16
SEED = 20


def pgm(picture: Array) -> bytes:
    """A picture [8, 8, 1] with values from 0 to 1 as a binary PGM file of 17 shades."""
    return b"P5 8 8 %d\n" % SHADES + np.rint(picture * SHADES).astype(np.uint8).tobytes()


def main() -> None:
    digits = load_digits()
    pictures = (digits.images[..., None] / SHADES).astype(np.float32)
    generator = np.random.default_rng(SEED)
    order = generator.permutation(len(pictures))
    held_out, known = order[: len(order) // 5], order[len(order) // 5 :]

    weights = train(pictures[known], digits.target[known], generator)
    chances = probabilities(weights, pictures[held_out])
    right = int((chances.argmax(axis=1) == digits.target[held_out]).sum())
    print(f"held-out accuracy: {right} of {len(held_out)}, {right / len(held_out):.2%}")

    models = HERE / "models"
    write_onnx(weights, models / "digits.onnx")
    write_tflite(weights, models / "digits.tflite")
    write_openvino(models / "digits.onnx", models / "digits.xml")

    hundred = held_out[:100]
    (HERE / "pictures" / "held-out.pgm").write_bytes(b"".join(pgm(picture) for picture in pictures[hundred]))
    (HERE / "pictures" / "held-out.txt").write_text("".join(f"{label}\n" for label in digits.target[hundred]))
    # The picture of the demo leaves a little doubt, so that the second and third guess say something too.
    of_truth = chances[np.arange(100), digits.target[hundred]]
    (models / "digit.pgm").write_bytes(pgm(pictures[hundred[np.abs(of_truth - 0.97).argmin()]]))


if __name__ == "__main__":
    main()
