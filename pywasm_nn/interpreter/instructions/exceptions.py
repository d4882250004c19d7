"""Exception instructions. None has a type or expression in its row: their types come from tags and labels."""

from .row import Imm, op

op(0x08, "throw", None, None, Imm.TAG)
op(0x0A, "throw_ref")
op(0x1F, "try_table", None, None, Imm.BLOCKTYPE, Imm.CATCHES)
