"""Formats without a magic number that are recognised by their beginning: XML, pickles, safetensors.

Sources: https://docs.openvino.ai (IR), https://docs.python.org/3/library/pickletools.html,
https://github.com/huggingface/safetensors#format
"""

from __future__ import annotations

from struct import unpack

from .look import Look

PROLOGUE = 512
"""The bytes in which to look for the root element of an XML document."""


def is_xml(look: Look) -> bool:
    return _start(look).startswith((b"<?xml", b"<net"))


def is_openvino(look: Look) -> bool:
    return is_xml(look) and b"<net" in _start(look)


def _start(look: Look) -> bytes:
    return look[:PROLOGUE].removeprefix(b"\xef\xbb\xbf").lstrip()


def is_pickle(look: Look) -> bool:
    """Protocols 2 to 5: a frame (4, 5), PyTorch's old magic number, or the STOP opcode at the end."""
    head = look[:3]
    if len(look) < 4 or head[0] != 0x80 or not 2 <= head[1] <= 5:
        return False
    return head[2] in (0x95, 0x8A) or look[-1:] == b"."


def is_safetensors(look: Look) -> bool:
    """The length of a header, then a JSON object."""
    head = look[:9]
    return len(head) == 9 and head[8:] == b"{" and 2 <= unpack("<Q", head[:8])[0] <= len(look) - 8
