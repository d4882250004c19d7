"""Samples as files for viewers: speedscope, Perfetto, collapsed stacks; and as a table.

What is not here: taking samples (`sampler.py`).
https://www.speedscope.app/file-format-schema.json
https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU (Trace Event Format)
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from operator import itemgetter
from typing import Any, TypeVar

from ...printable import printable
from .sampler import Place, Sample, Sampler

T = TypeVar("T")
SCHEMA = "https://www.speedscope.app/file-format-schema.json"
MICROSECOND = 1e-6
LONGEST_NAME = 200
MOST_ROWS = 20


def title(place: Place) -> str:
    """A place's name for readers: "compute_row", "host: wasi_ephemeral_nn.compute"."""
    name = printable(place.name, LONGEST_NAME)
    return name if place.kind == "guest" else f"{place.kind}: {name}"


def speedscope(sampler: Sampler) -> str:
    """A file for https://www.speedscope.app: one profile of samples in seconds."""
    numbers: dict[Place, int] = {}
    samples, weights = [], []
    for sample in sampler.samples:
        samples.append([numbers.setdefault(place, len(numbers)) for place in sample.stack])
        weights.append(sample.seconds)
    profile = {
        "type": "sampled",
        "name": "pywasm-nn",
        "unit": "seconds",
        "startValue": 0,
        "endValue": sum(weights),
        "samples": samples,
        "weights": weights,
    }
    shared = {"frames": list(map(frame, numbers))}
    return json.dumps({"$schema": SCHEMA, "exporter": "pywasm-nn", "shared": shared, "profiles": [profile]})


def frame(place: Place) -> dict[str, Any]:
    """A place as a frame in speedscope's format."""
    told: dict[str, Any] = {"name": title(place)}
    if place.source is not None:
        told |= {"file": printable(place.source.file, LONGEST_NAME), "line": place.source.line}
    elif place.module:
        told["file"] = printable(place.module, LONGEST_NAME)
    return told


def perfetto(sampler: Sampler) -> str:
    """A file for https://ui.perfetto.dev and chrome://tracing: consecutive samples with the same place become
    one slice. It has no displayTimeUnit, which some of Perfetto's releases (20) took for that of the times.
    """
    return json.dumps({"traceEvents": list(slices(sampler.samples))})


def slices(samples: Sequence[Sample]) -> Iterator[dict[str, Any]]:
    yield {"ph": "M", "pid": 1, "tid": 1, "name": "process_name", "args": {"name": "pywasm-nn"}}
    yield {"ph": "M", "pid": 1, "tid": 1, "name": "thread_name", "args": {"name": "main thread"}}
    empty = Sample(0.0, 0.0, ())
    end = Sample(samples[-1].at if samples else 0.0, 0.0, ())
    for before, after in pairwise([empty, *samples, end]):
        at = before.at / MICROSECOND
        same = 0
        for one, other in zip(before.stack, after.stack, strict=False):
            if one != other:
                break
            same += 1
        for place in reversed(before.stack[same:]):
            yield {"ph": "E", "pid": 1, "tid": 1, "ts": at, "name": title(place)}
        for place in after.stack[same:]:
            begin = {"ph": "B", "pid": 1, "tid": 1, "ts": at, "name": title(place), "cat": place.kind}
            source = {} if place.source is None else {"args": {"source": printable(str(place.source), 400)}}
            yield begin | source


def collapsed(sampler: Sampler) -> str:
    """Lines for flamegraph.pl and similar tools: a stack, and its time in milliseconds."""
    found: defaultdict[tuple[Place, ...], float] = defaultdict(float)
    for sample in sampler.samples:
        found[sample.stack] += sample.seconds
    lines = []
    for stack, seconds in found.items():
        names = [title(place).replace(";", ",") for place in stack]
        lines.append(f"{';'.join(names)} {round(seconds * 1000)}\n")
    return "".join(sorted(lines))


FORMATS: dict[str, Callable[[Sampler], str]] = {
    "speedscope": speedscope,
    "perfetto": perfetto,
    "collapsed": collapsed,
}
"""Writers by the name of their format."""


def longest_first(times: Mapping[T, float]) -> list[tuple[T, float]]:
    return sorted(times.items(), key=itemgetter(1), reverse=True)


def summary(sampler: Sampler, most: int = MOST_ROWS) -> Iterator[str]:
    """Lines of a table: the time of each place without the places that it calls, in descending order."""
    own: defaultdict[Place, float] = defaultdict(float)
    kinds: defaultdict[str, float] = defaultdict(float)
    for sample in sampler.samples:
        place = sample.stack[-1]
        own[place] += sample.seconds
        kinds[place.kind] += sample.seconds
    total = sampler.seconds or 1.0
    shares = ", ".join(f"{kind} {seconds / total:.0%}" for kind, seconds in longest_first(kinds))
    yield f"{sampler.seconds:.2f} s, {len(sampler.samples)} samples: {shares or 'too short for a sample'}"
    for place, seconds in longest_first(own)[:most]:
        where = "" if place.source is None else f"  {printable(str(place.source), LONGEST_NAME)}"
        yield f"{seconds / total:6.1%}  {seconds:8.3f} s  {title(place)}{where}"
    if len(own) > most:
        yield f"... {len(own) - most} more"
