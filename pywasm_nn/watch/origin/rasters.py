"""Numbers of a file without a header of its own, which a text beside it describes: rasters of ENVI and ESRI
(`.hdr`), of NRRD (`.nhdr`) and MetaImage (`.mhd`), and the like.

What is here: `described_in`, which reads such a text. What is not: how an input came from the numbers
(`laid_out.py`). Sources: https://www.nv5geospatialsoftware.com/docs/ENVIHeaderFiles.html,
https://teem.sourceforge.net/nrrd/format.html,
https://desktop.arcgis.com/en/arcmap/latest/manage-data/raster-and-images/bil-bip-and-bsq-raster-files.htm
"""

from __future__ import annotations

from typing import Any

from ...records import Frozen
from ..regex import regex

LINE = regex(r'"?([A-Za-z][A-Za-z_ ]*?)"?[ \t]*[=:][ \t]*"?([^"]+?)"?[ \t,]*')
WITH_BLANKS = regex(r"([A-Za-z_]+)[ \t]+([^ \t=:]+)[ \t]*")
MOST = 1 << 14
"""Longer texts describe no numbers."""
NAMES = {
    "width": ("samples", "ncols", "columns", "cols", "width"),
    "height": ("lines", "nrows", "rows", "height"),
    "bands": ("bands", "nbands", "channels"),
    "kind": ("data type", "element type", "elementtype", "type", "dtype", "data_type", "datatype"),
    "bits": ("nbits",),
    "sign": ("pixeltype",),
    "order": ("byte order", "byteorder", "endian", "elementbyteordermsb", "binarydatabyteordermsb"),
    "interleave": ("interleave", "layout"),
    "skipped": ("header offset", "skipbytes", "headersize", "byte skip"),
    "sizes": ("dimsize", "sizes"),
    "encoding": ("encoding", "compresseddata", "file compression"),
}
KINDS = {
    "u1": ("1", "uint8", "uchar", "unsigned char", "met_uchar", "byte", "u8"),
    "i1": ("int8", "signed char", "met_char", "i8"),
    "i2": ("2", "int16", "short", "met_short", "int16_t", "i16"),
    "u2": ("12", "uint16", "ushort", "unsigned short", "met_ushort", "uint16_t", "u16"),
    "i4": ("3", "int32", "int", "met_int", "int32_t", "i32"),
    "u4": ("13", "uint32", "uint", "unsigned int", "met_uint", "uint32_t", "u32"),
    "f4": ("4", "float", "float32", "met_float", "f32"),
    "f8": ("5", "double", "float64", "met_double", "f64"),
}
BIG = {"1", "m", "msb", "msbfirst", "big", "big-endian", "be", "true"}
PLAIN = {"raw", "0", "false", "none"}
LAYOUTS = ("bsq", "bil", "bip")
"""Band after band, line after line of all bands, and pixel after pixel."""
BYTES = regex(r"(8|16|32)")


class Raster(Frozen):
    """Numbers of a type, `bands` of `height` lines of `width` samples, from byte `skipped` on. `said` has,
    by what it describes, the line of the text."""

    width: int
    height: int
    bands: int
    kind: str
    is_big: bool
    interleave: str
    skipped: int
    said: dict[str, str]

    @property
    def shape(self) -> tuple[int, int, int]:
        return self.bands, self.height, self.width


def described_in(text: str) -> Raster | None:
    """Returns the numbers that a text describes, or None if it describes none, or not completely."""
    found, said = fields(text) if len(text) <= MOST else ({}, {})
    sizes = [int(one) for one in found.get("sizes", "").split() if one.isdigit()]
    if len(sizes) in (2, 3):  # the fastest first
        found |= {"width": str(sizes[0]), "height": str(sizes[1])}
        found.setdefault("bands", str(sizes[2] if len(sizes) == 3 else 1))
    kind = kind_of(found)
    counts = [found.get(name, "1" if name == "bands" else "") for name in ("width", "height", "bands")]
    skipped, layout = found.get("skipped", "0"), found.get("interleave", "bsq")
    is_plain = found.get("encoding", "raw") in PLAIN and layout in LAYOUTS
    if not kind or not is_plain or not all(one.isdigit() for one in (*counts, skipped)):
        return None
    width, height, bands = (int(one) for one in counts)
    if not width * height * bands:
        return None
    return Raster(width, height, bands, kind, found.get("order") in BIG, layout, int(skipped), said)


def fields(text: str) -> tuple[dict[str, str], dict[str, str]]:
    """Returns what a text says of each thing, in small letters, and the lines that say it."""
    found: dict[str, str] = {}
    said: dict[str, str] = {}
    for line in text.splitlines():
        match = LINE.fullmatch(line.strip(" \t{")) or WITH_BLANKS.fullmatch(line.strip())
        if match is None:
            continue
        name = next((one for one, names in NAMES.items() if match[1].strip().lower() in names), "")
        if name and name not in found:
            found[name] = match[2].strip().lower()
            said[name] = match[0].strip(" \t,")
    return found, said


def kind_of(found: dict[str, Any]) -> str:
    """Returns the type of the numbers, or "" if it isn't said."""
    if bits := BYTES.fullmatch(found.get("bits", "")):
        sign = found.get("sign", "")
        letter = "f" if "float" in sign else "i" if sign.startswith("signed") else "u"
        return f"{letter}{int(bits[1]) // 8}"
    return next((kind for kind, names in KINDS.items() if found.get("kind") in names), "")
