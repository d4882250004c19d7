"""Reports on files and a table of its input, in Python: CPython runs it inside of the component, whose world
and build line are in report.wit."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import sys

from componentize_py_types import Err  # type: ignore[import-not-found]
from wit_world import exports  # type: ignore[import-not-found] # componentize-py makes both


class Run(exports.Run):  # type: ignore[misc] # a class of that module
    """The interface `wasi:cli/run`."""

    def run(self) -> None:
        """Say what is in the given directory and in the input, and leave a file there."""
        print("arguments", sys.argv[1:])
        for folder, folders, files in os.walk("/data"):
            folders.sort()
            for name in sorted(files):
                path = os.path.join(folder, name)
                with open(path, "rb") as file:
                    content = file.read()
                print(path, len(content), hashlib.sha256(content).hexdigest()[:16])
        rows = list(csv.DictReader(io.StringIO(sys.stdin.read())))
        print(json.dumps(rows, ensure_ascii=False, sort_keys=True))
        try:
            with open("/data/missing.txt"):
                pass
        except OSError as error:
            print(type(error).__name__, error.errno, error.strerror, file=sys.stderr)
        with open("/data/new.txt", "w") as file:
            file.write("written by the program\n")
        if "fail" in sys.argv:
            raise Err(None)
