"""One program for many inputs: `BatchRunner`, for Ray, Dask, `ProcessPoolExecutor` or a loop.

runner = BatchRunner("app.wasm", models={"digits": "digits.onnx"}, limits=Limits(seconds=5))
with ProcessPoolExecutor(2) as pool:
    for row in pool.map(runner, inputs, chunksize=50): print(row["exit_code"], row["stdout"])

What is here: `BatchRunner`. What is not: what is in a row (`rows`), tables of rows (`tables`), and processes:
`pywasm-nn batch` has its own (`workers`).
"""

from .runner import BatchRunner

__all__ = ["BatchRunner"]
