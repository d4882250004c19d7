"""Reference and table instructions. None has a type or expression in its row: their types come from the table
or the immediate."""

from .row import Imm, op

op(0x25, "table.get", None, None, Imm.TABLE)
op(0x26, "table.set", None, None, Imm.TABLE)
op((0xFC, 12), "table.init", None, None, Imm.ELEM, Imm.TABLE)
op((0xFC, 13), "elem.drop", "->", None, Imm.ELEM)
op((0xFC, 14), "table.copy", None, None, Imm.TABLE, Imm.TABLE)
op((0xFC, 15), "table.grow", None, None, Imm.TABLE)
op((0xFC, 16), "table.size", None, None, Imm.TABLE)
op((0xFC, 17), "table.fill", None, None, Imm.TABLE)
op(0xD0, "ref.null", None, None, Imm.HEAPTYPE, constant=True)
op(0xD1, "ref.is_null")
op(0xD2, "ref.func", None, None, Imm.FUNC, constant=True)

op(0x14, "call_ref", None, None, Imm.TYPEIDX)
op(0x15, "return_call_ref", None, None, Imm.TYPEIDX)
op(0xD4, "ref.as_non_null")
op(0xD5, "br_on_null", None, None, Imm.LABEL)
op(0xD6, "br_on_non_null", None, None, Imm.LABEL)
