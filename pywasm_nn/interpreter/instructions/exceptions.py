"""Exception instructions. None has a type or expression in its row: their types come from tags and labels."""

from .row import Imm, op

LEGACY = "legacy-exceptions"

op(0x08, "throw", None, None, Imm.TAG)
op(0x0A, "throw_ref")
op(0x1F, "try_table", None, None, Imm.BLOCKTYPE, Imm.CATCHES)

# As toolchains wrote exceptions before 3.0
# (https://webassembly.github.io/exception-handling/legacy/core/binary/instructions.html).
op(0x06, "try", None, None, Imm.BLOCKTYPE, feature=LEGACY)
op(0x07, "catch", None, None, Imm.TAG, feature=LEGACY)
op(0x09, "rethrow", None, None, Imm.LABEL, feature=LEGACY)
op(0x18, "delegate", None, None, Imm.LABEL, feature=LEGACY)
op(0x19, "catch_all", feature=LEGACY)
