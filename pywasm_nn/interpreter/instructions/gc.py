"""Instructions on structures, arrays, i31 and casts. None has a type or expression in its row: their types
come from the module.

In the text, `ref.test_null` is `ref.test (ref null ...)`, likewise `ref.cast_null`.
"""

from .row import Imm, op

op(0xD3, "ref.eq")

op((0xFB, 0), "struct.new", None, None, Imm.TYPEIDX, constant=True)
op((0xFB, 1), "struct.new_default", None, None, Imm.TYPEIDX, constant=True)
op((0xFB, 2), "struct.get", None, None, Imm.FIELD)
op((0xFB, 3), "struct.get_s", None, None, Imm.FIELD)
op((0xFB, 4), "struct.get_u", None, None, Imm.FIELD)
op((0xFB, 5), "struct.set", None, None, Imm.FIELD)

op((0xFB, 6), "array.new", None, None, Imm.TYPEIDX, constant=True)
op((0xFB, 7), "array.new_default", None, None, Imm.TYPEIDX, constant=True)
op((0xFB, 8), "array.new_fixed", None, None, Imm.TYPEIDX, Imm.COUNT, constant=True)
op((0xFB, 9), "array.new_data", None, None, Imm.TYPEIDX, Imm.DATA)
op((0xFB, 10), "array.new_elem", None, None, Imm.TYPEIDX, Imm.ELEM)
op((0xFB, 11), "array.get", None, None, Imm.TYPEIDX)
op((0xFB, 12), "array.get_s", None, None, Imm.TYPEIDX)
op((0xFB, 13), "array.get_u", None, None, Imm.TYPEIDX)
op((0xFB, 14), "array.set", None, None, Imm.TYPEIDX)
op((0xFB, 15), "array.len")
op((0xFB, 16), "array.fill", None, None, Imm.TYPEIDX)
op((0xFB, 17), "array.copy", None, None, Imm.TYPEIDX, Imm.TYPEIDX)
op((0xFB, 18), "array.init_data", None, None, Imm.TYPEIDX, Imm.DATA)
op((0xFB, 19), "array.init_elem", None, None, Imm.TYPEIDX, Imm.ELEM)

op((0xFB, 20), "ref.test", None, None, Imm.CASTTYPE)
op((0xFB, 21), "ref.test_null", None, None, Imm.CASTTYPE)
op((0xFB, 22), "ref.cast", None, None, Imm.CASTTYPE)
op((0xFB, 23), "ref.cast_null", None, None, Imm.CASTTYPE)
op((0xFB, 24), "br_on_cast", None, None, Imm.CAST)
op((0xFB, 25), "br_on_cast_fail", None, None, Imm.CAST)

op((0xFB, 26), "any.convert_extern", constant=True)
op((0xFB, 27), "extern.convert_any", constant=True)
op((0xFB, 28), "ref.i31", constant=True)
op((0xFB, 29), "i31.get_s")
op((0xFB, 30), "i31.get_u")
