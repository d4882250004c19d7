"""TensorFlow itself, imported without its greetings: the terminal belongs to the guest."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from ..quiet import without_info_lines

LOG_LEVEL, ERRORS = "TF_CPP_MIN_LOG_LEVEL", "2"


@cache
def v1() -> Any:
    """The interface of version 1, which works without eager execution."""
    # TensorFlow reads the variable once, when it writes its first line.
    is_given = LOG_LEVEL in os.environ
    os.environ.setdefault(LOG_LEVEL, ERRORS)
    try:
        with without_info_lines():
            import tensorflow
    finally:
        if not is_given:
            del os.environ[LOG_LEVEL]
    return tensorflow.compat.v1


def saved_model() -> Any:
    """An empty message for `saved_model.pb`."""
    v1()
    from tensorflow.core.protobuf.saved_model_pb2 import SavedModel

    return SavedModel()


@contextmanager
def quiet() -> Iterator[None]:
    """A block without advice to use version 2."""
    logger = logging.getLogger("tensorflow")
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(before)
