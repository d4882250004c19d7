"""Control, parametric, variable and constant instructions
(https://webassembly.github.io/spec/core/binary/instructions.html).

None but constants has a type in its row: their types depend on labels, locals or the stack. Constants are here
because constant expressions need them where no body is read.
"""

from .row import Imm, op

op(0x00, "unreachable")
op(0x01, "nop", "->", None)
op(0x02, "block", None, None, Imm.BLOCKTYPE)
op(0x03, "loop", None, None, Imm.BLOCKTYPE)
op(0x04, "if", None, None, Imm.BLOCKTYPE)
op(0x05, "else")
op(0x0B, "end", constant=True)
op(0x0C, "br", None, None, Imm.LABEL)
op(0x0D, "br_if", None, None, Imm.LABEL)
op(0x0E, "br_table", None, None, Imm.LABELS)
op(0x0F, "return")
op(0x10, "call", None, None, Imm.FUNC)
op(0x11, "call_indirect", None, None, Imm.TYPE, Imm.TABLE)
op(0x12, "return_call", None, None, Imm.FUNC)
op(0x13, "return_call_indirect", None, None, Imm.TYPE, Imm.TABLE)

op(0x1A, "drop")
op(0x1B, "select")
op(0x1C, "select_t", None, None, Imm.VALTYPES)  # written `select (result t)`

op(0x20, "local.get", None, None, Imm.LOCAL)
op(0x21, "local.set", None, None, Imm.LOCAL)
op(0x22, "local.tee", None, None, Imm.LOCAL)
op(0x23, "global.get", None, None, Imm.GLOBAL, constant=True)
op(0x24, "global.set", None, None, Imm.GLOBAL)

op(0x41, "i32.const", "-> i32", None, Imm.I32, constant=True)
op(0x42, "i64.const", "-> i64", None, Imm.I64, constant=True)
op(0x43, "f32.const", "-> f32", None, Imm.F32, constant=True)
op(0x44, "f64.const", "-> f64", None, Imm.F64, constant=True)
