"""Instructions on structures that are described by structures, and on their descriptors
(https://github.com/WebAssembly/custom-descriptors). None has a type or expression in its row.

In the text, `ref.cast_null_desc_eq` is `ref.cast_desc_eq (ref null ...)`.
"""

from .row import Imm, op

FEATURE = "custom-descriptors"

op((0xFB, 32), "struct.new_desc", None, None, Imm.TYPEIDX, constant=True, feature=FEATURE)
op((0xFB, 33), "struct.new_default_desc", None, None, Imm.TYPEIDX, constant=True, feature=FEATURE)
op((0xFB, 34), "ref.get_desc", None, None, Imm.TYPEIDX, feature=FEATURE)
op((0xFB, 35), "ref.cast_desc_eq", None, None, Imm.CASTTYPE, feature=FEATURE)
op((0xFB, 36), "ref.cast_null_desc_eq", None, None, Imm.CASTTYPE, feature=FEATURE)
op((0xFB, 37), "br_on_cast_desc_eq", None, None, Imm.CAST, feature=FEATURE)
op((0xFB, 38), "br_on_cast_desc_eq_fail", None, None, Imm.CAST, feature=FEATURE)
