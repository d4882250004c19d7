"""Sounds of 8 bits whose samples the program takes as signed before it makes features of them, and ones of 16
bits whose two bytes it takes in the wrong order, or as unsigned.

What is here: `SignedBytes`, by the program's instructions. What is not: samples that are sent as such
(`origin`), whose elements show it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import pairwise
from struct import pack, unpack
from typing import Any

from ...arrays import numpy
from ...errors import WasmError
from ...interpreter.module import Module
from ...nn.formats import KNOWN
from ..budget import Budget
from ..follower import Follower
from ..origin.arithmetic import FLOATS as CONSTANTS
from ..origin.arithmetic import shortest
from ..origin.decoding import Source
from ..surroundings import Files

MOST_CODE, MOST_FUNCTION = 1 << 18, 1 << 15
"""Bytes of functions that are looked through, and of one."""
WAV = b"RIFF"
SIGNED_BYTE, UNSIGNED = "i32.load8_s", "i32.load8_u"
SIGNED = frozenset({SIGNED_BYTE, "i32.extend8_s"})
WORD, TURN = "i32.load16_s", 8
"""What loads the lower byte first, and by how many bits bytes are moved to turn two of them."""
PUTTING = frozenset({"i32.or", "i32.rotl", "i32.rotr", SIGNED_BYTE})
"""What may put two bytes together."""
SHUFFLES = frozenset({"i8x16.shuffle", "i8x16.swizzle"})
"""What may exchange many bytes at once."""
NARROWING = frozenset({"i32.extend16_s", "i32.store16", "i32.shr_s"})
"""What makes 16 bits of a number."""
MOVES = frozenset({"local.get", "local.set", "local.tee"})
FLOATS, SIGN = frozenset({"f32.convert_i32_s", "f64.convert_i32_s"}), 31
UNSIGNED_WORD, EXTENDED = "i32.load16_u", "i32.extend16_s"
FROM_UNSIGNED = frozenset({"f32.convert_i32_u", "f64.convert_i32_u"}) | FLOATS
HALVES = (32768.0, 32767.0)
"""The divisors of signed samples of 16 bits."""
OFFSETS = frozenset({32768.0, 32767.0, 65536.0, 65535.0})
"""The numbers that are taken from unsigned words which stand for signed ones."""
LEAST, MOST = 1e-12, 1e12
"""How large floats usually are."""
SCALED = 1e-3
"""By how much a factor may differ from the reciprocal of such a divisor."""
OPENING, INNER = frozenset({"block", "loop", "if", "try_table", "try"}), "loop"
ZEROS = (128, (1 << 32) - 128)
"""Programs take the first number from unsigned samples, or add the second one, a u32."""
BYTES = 2
"""Bytes of such a word."""
NEAR, AFTER = 6, 4
"""So many instructions around a load are looked at, and behind one of unsigned bytes."""


class SignedBytes(Follower):
    """Gives a hint when the guest has ended. `last` gives the sound that was read last, `files` the names and
    bytes of all that was read, and `said` has the lines about inputs: one that came from the sound shows
    itself how its samples were taken."""

    def __init__(
        self, last: Callable[[], Source | None], files: Files, budget: Budget, said: Collection[str] = ()
    ) -> None:
        self._last, self._files, self._budget, self._said = last, files, budget, said
        self._module: Module | None = None

    def attach(self, module: Module) -> None:
        """A guest begins."""
        self._module = module

    def finish(self) -> Iterator[tuple[str, str]]:
        """The hint, if all that the guest reads beside texts is such a sound."""
        sound, files = self._last(), self._files()
        if self._module is None or sound is None or sound.law or sound.is_float:
            return
        data = next((data for name, data in files if name == sound.name), b"")
        if any(sound.name in line for line in self._said):
            return
        others = {name: one for name, one in files if b"\0" in one and one[: len(WAV)] != data[: len(WAV)]}
        with self._budget.reading() as left:  # searches and comparisons may have taken their time by now
            if sound.width == BYTES and data.startswith(WAV):
                if not all(KNOWN.of_file(name) or are_floats(one) for name, one in others.items()):
                    return
                if is_unsigned(self._module, left):
                    yield (
                        "origin",
                        f"{sound.name} has samples of 16 bits, which are signed in a WAV file, and the guest "
                        "loads them as unsigned (i32.load16_u), makes floats of them and divides by 32768: "
                        "negative ones become 1 to 2; are they to be signed (int16_t, i16)?",
                    )
                return
            if others:
                return
            if sound.width == 1 and data.startswith(WAV) and (how := signed_in(self._module, left)):
                yield (
                    "origin",
                    f"{sound.name} has samples of 8 bits, which are unsigned in a WAV file (silence is 128), "
                    f"and the guest loads bytes as signed ones (i32.load8_s) {how}: are they to be unsigned "
                    "(uint8_t, u8), and 128 to be taken away from each?",
                )
            elif sound.width == BYTES and is_upper_first(data) and is_unturned(self._module, left):
                yield (
                    "origin",
                    f"{sound.name} has samples of 16 bits whose upper byte is the first (big-endian), and "
                    "the guest loads them with the lower byte first (i32.load16_s), makes floats of them, "
                    "and turns no two bytes anywhere: are they to be exchanged (p[0] << 8 | p[1])?",
                )


def is_upper_first(data: bytes) -> bool:
    """Whether the samples of a sound are big-endian, as in AU and AIFF."""
    return data.startswith(b".snd") or (data.startswith(b"FORM") and data[8:12] == b"AIFF")


def is_unturned(module: Module, left: Callable[[], bool]) -> bool:
    """Whether words of 16 bits become floats as they are loaded, and nothing in a module exchanges two
    bytes, which may lie in memory then."""
    found, looked = False, 0
    for func in shortest(module, MOST_CODE, MOST_FUNCTION, left):
        try:
            body = [(op.name, imm) for op, imm in func.body]
        except WasmError:
            return False
        looked += 1
        for at, (name, _) in enumerate(body):
            if name in SHUFFLES:
                return False
            if name not in PUTTING and name not in (WORD, UNSIGNED):
                continue
            behind = [one for one in body[at + 1 : at + 1 + NEAR] if one[0] not in MOVES]
            found |= name == WORD and bool(behind) and behind[0][0] in FLOATS
            if is_exchange(name, behind) or is_moved(body, at):
                return False
    return found and looked == len(module.funcs)


def is_exchange(name: str, behind: Sequence[tuple[str, Any]]) -> bool:
    """Whether an instruction puts two bytes together, of which those behind make 16 bits, or rotates them."""
    names = [one for one, _ in behind[:AFTER]]
    joined = name in PUTTING and name != SIGNED_BYTE and any(one in NARROWING for one in names)
    is_upper = name == SIGNED_BYTE and behind[:2] == [("i32.const", TURN), ("i32.shl", None)]
    return joined or is_upper


def is_moved(body: Sequence[tuple[str, Any]], at: int) -> bool:
    """Whether two bytes that lie side by side are loaded and then stored there the other way round."""
    moves = [one for one in body[at : at + 4 * AFTER] if "load" in one[0] or "store" in one[0]][:4]
    if [name for name, _ in moves] != [UNSIGNED, UNSIGNED, "i32.store8", "i32.store8"]:
        return False
    if body[at] != moves[0]:
        return False
    offsets = [imm.offset for _, imm in moves]
    return all(abs(one - other) == 1 for one, other in (offsets[:2], offsets[2:]))


def are_floats(data: bytes) -> bool:
    """Whether bytes are numbers of a usual size as floats of 32 bits: these need no words of 16 bits."""
    if not data or len(data) % 4:
        return False
    with numpy.errstate(invalid="ignore"):  # of what is no float
        sizes = abs(numpy.frombuffer(data, "<f4").astype("f8"))
    return bool(((sizes == 0) | ((sizes > LEAST) & (sizes < MOST))).all())


def is_unsigned(module: Module, left: Callable[[], bool]) -> bool:
    """Whether a loop loads words of 16 bits as unsigned, makes floats of them, and divides by what signed
    ones are divided by, and nothing in a module makes floats of signed ones."""
    found = False
    for func in shortest(module, MOST_CODE, MOST_FUNCTION, left):
        try:
            body = [(op.name, imm) for op, imm in func.body]
        except WasmError:
            continue
        within: list[str] = []
        for at, (name, _) in enumerate(body):
            if name in OPENING:
                within.append(name)
            elif name == "end" and within:
                within.pop()
            behind = [one for one in body[at + 1 : at + 1 + 2 * NEAR] if one[0] not in MOVES]
            into = behind[0][0] if behind else ""
            if into in FLOATS and is_signed(body, at):
                return False
            if name == UNSIGNED_WORD and into in FROM_UNSIGNED and INNER in within:
                if moved_by(behind):
                    return False
                found = found or is_halved(behind[1:3])
    return found


def is_signed(body: Sequence[tuple[str, Any]], at: int) -> bool:
    """Whether an instruction makes a signed word of 16 bits."""
    is_shifted = body[at][0] == "i32.shr_s" and body[at - 1] == ("i32.const", 8 * BYTES)
    return body[at][0] in (WORD, EXTENDED) or is_shifted


def moved_by(behind: Sequence[tuple[str, Any]]) -> bool:
    """Whether what stands for 0 is taken from words, or the whole range from those above its middle."""
    return any(
        name.endswith(".const")
        and abs(number_of(name, imm)) in OFFSETS
        and not after.endswith((".mul", ".div"))
        for (name, imm), (after, _) in pairwise(behind)
    )


def is_halved(behind: Sequence[tuple[str, Any]]) -> bool:
    """Whether a float is divided by 32768 or the like, or multiplied by one over it."""
    if len(behind) < BYTES or not behind[0][0].endswith(".const"):
        return False
    number = number_of(*behind[0])
    by = {"mul": number and 1 / number, "div": number}.get(behind[1][0].partition(".")[2], 0.0)
    return any(abs(by / one - 1) < SCALED for one in HALVES)


def number_of(name: str, imm: Any) -> float:
    """The number of a constant of any type."""
    if name in CONSTANTS:
        whole, real = CONSTANTS[name]
        return float(unpack(real, pack(whole, imm))[0])
    return float(imm)


def signed_in(module: Module, left: Callable[[], bool]) -> str:
    """Returns in words that the functions of a module make floats or sizes of signed bytes, or "" if they
    don't, or if they take 128 from unsigned ones."""
    found = ""
    for func in shortest(module, MOST_CODE, MOST_FUNCTION, left):
        try:
            body = [*func.body]
        except WasmError:
            continue
        for at, (op, _) in enumerate(body):
            if op.name == UNSIGNED and is_centred(body[at + 1 : at + 1 + 2 * AFTER]):
                return ""
            if op.name in SIGNED and not found:
                found = used(body, at)
    return found


def is_centred(behind: Sequence[Any]) -> bool:
    """Whether unsigned bytes are brought around 0 by the instructions behind their load."""
    for (op, imm), (after, _) in pairwise(behind):
        if op.name == "i32.const" and imm in ZEROS and after.name in ("i32.add", "i32.sub", "i32.xor"):
            return True
        if op.name in ("f32.const", "f64.const") and after.name.endswith((".add", ".sub")):
            return True
    return False


def used(body: Sequence[Any], at: int) -> str:
    """Returns in words that the signed byte that this instruction leaves is used as a number, or "" if it
    isn't: characters are compared."""
    around = [imm for op, imm in body[max(0, at - NEAR) : at + NEAR] if op.name == "i32.const"]
    if any(imm in ZEROS for imm in around):
        return ""
    behind = [(op.name, imm) for op, imm in body[at + 1 : at + 1 + NEAR] if op.name not in MOVES]
    if behind and behind[0][0] in FLOATS:
        return "and makes floats of them"
    if [name for name, _ in behind[:2]] == ["i32.const", "i32.shr_s"] and behind[0][1] == SIGN:
        return "and takes them without their sign (abs)"
    direct = [op.name for op, _ in body[at + 1 : at + 4]]
    is_square = direct[:1] == ["local.tee"] and direct[1:] == ["local.get", "i32.mul"]
    return "and takes the square of each" if is_square else ""
