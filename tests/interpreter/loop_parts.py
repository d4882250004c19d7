"""What random loops (`loops.py`) are made of, as text: values, addresses, loads, stores, choices, and locals
that depend on the round before."""

from __future__ import annotations

from random import Random

PARAMS = {"p": "i32", "q": "i32", "r": "i32", "n": "i32", "k": "i32", "w": "i64", "x": "f32", "y": "f64"}
TEMPORARY = {"i32": ("t", "u"), "i64": ("s",), "f32": ("f",), "f64": ("g",)}
NUMBERS = {"h": "f32", "z": "f64"}
SUMS = {"i32": ("a", "b"), "i64": ("c",), "f32": ("d",), "f64": ("e",)}
LOCALS = {name: type_ for table in (TEMPORARY, SUMS) for type_, names in table.items() for name in names}
ALL = {**PARAMS, "i": "i32", "j": "i32", "m": "i32", **LOCALS, **NUMBERS}
CONSTANTS = {
    "i32": ("0", "1", "2", "3", "7", "16", "31", "128", "255", "-1", "-128", "65536",
            "0x7fffffff", "0x80000000", "91881"),
    "i64": ("0", "1", "3", "32", "255", "-1", "0x8000000000000000", "0x100000001"),
    "f32": ("0", "-0", "1", "255", "-0.485", "0.229", "1e10", "2147483648", "inf", "nan"),
    "f64": ("0", "-0", "1", "0.5", "255", "1e300", "-4294967296", "0.1"),
}  # fmt: skip
INTEGER = ("add", "sub", "mul", "and", "or", "xor", "shl", "shr_s", "shr_u", "rotl", "add", "add", "and")
RARE = ("div_s", "div_u", "rem_s", "rem_u")
FLOAT = ("add", "sub", "mul", "div", "min", "max", "copysign", "add", "mul")
COMPARED = {
    "i": ("eq", "ne", "lt_s", "lt_u", "gt_s", "gt_u", "le_s", "ge_u"),
    "f": ("eq", "ne", "lt", "gt", "le", "ge"),
}
CONVERTED = {
    "i32": ("i32.wrap_i64 i64", "i32.trunc_sat_f32_s f32", "i32.trunc_sat_f32_u f32",
            "i32.trunc_sat_f64_s f64", "i32.extend8_s i32", "i32.extend16_s i32", "i32.trunc_f32_s f32",
            "i32.reinterpret_f32 f32"),
    "i64": ("i64.extend_i32_s i32", "i64.extend_i32_u i32", "i64.extend32_s i64", "i64.trunc_sat_f64_u f64",
            "i64.trunc_f64_s f64"),
    "f32": ("f32.convert_i32_s i32", "f32.convert_i32_u i32", "f32.convert_i64_u i64", "f32.demote_f64 f64",
            "f32.abs f32", "f32.neg f32", "f32.floor f32", "f32.nearest f32", "f32.sqrt f32"),
    "f64": ("f64.convert_i32_s i32", "f64.convert_i64_s i64", "f64.promote_f32 f32", "f64.ceil f64",
            "f64.trunc f64", "f64.sqrt f64"),
}  # fmt: skip
LOADS = {
    "i32": ("load8_u", "load8_u", "load8_s", "load16_u", "load16_s", "load"),
    "i64": ("load8_u", "load16_s", "load32_u", "load32_s", "load"),
    "f32": ("load",),
    "f64": ("load",),
}
STORES = {"i32": ("store8", "store8", "store16", "store"), "i64": ("store8", "store32", "store"),
          "f32": ("store",), "f64": ("store",)}  # fmt: skip
GAPS = (0, 1, 4, 64, -16)
TYPES = ("i32", "i32", "i32", "f32", "f32", "i64", "f64")


class Parts:
    """Writes parts of the body of one loop."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.set: list[str] = []
        """Temporary locals that this round has set."""
        self.step = random.choice((1, 1, 1, 2, 3, 4, -1))
        self.walks = {name: random.choice((0, 1, 1, 2, 3, 4, 4, 8, 12, -1, -4)) for name in "pqr"}
        self.uses_index = random.random() < 0.5

    def value(self, type_: str, depth: int) -> str:
        """An expression."""
        random = self.random
        kind = random.random()
        if depth <= 0 or kind < 0.12:
            return self.leaf(type_)
        if kind < 0.25:
            return self.load(type_)
        if kind < 0.36:
            name, source = random.choice(CONVERTED[type_]).split()
            operand = self.number if "reinterpret" in name else self.value
            return f"({name} {operand(source, depth - 1)})"
        if kind < 0.44:
            parts = f"{self.value(type_, depth - 1)} {self.value(type_, depth - 1)}"
            return f"(select {parts} {self.condition(depth - 1)})"
        if kind < 0.47 and type_ == "i32":
            return self.condition(depth - 1)
        if kind < 0.5 and type_[0] == "i":
            divisor = f"({type_}.const {random.choice((2, 3, 7, 255))})"
            return f"({type_}.{random.choice(RARE)} {self.value(type_, depth - 1)} {divisor})"
        name = random.choice(INTEGER if type_[0] == "i" else FLOAT)
        second = self.leaf(type_) if random.random() < 0.5 else self.value(type_, depth - 1)
        if name == "copysign":
            second = self.number(type_, depth - 1)
        return f"({type_}.{name} {self.value(type_, depth - 1)} {second})"

    def condition(self, depth: int) -> str:
        type_ = self.random.choice(TYPES)
        name = self.random.choice(COMPARED[type_[0]])
        return f"({type_}.{name} {self.value(type_, depth - 1)} {self.leaf(type_)})"

    def leaf(self, type_: str) -> str:
        random = self.random
        names = [name for name in self.set if ALL[name] == type_]
        names += [name for name in "kwxy" if ALL[name] == type_]
        if type_ == "i32" and random.random() < 0.15:
            return "(local.get $i)"
        if names and random.random() < 0.5:
            return f"(local.get ${random.choice(names)})"
        return (
            f"({type_}.const {random.choice(CONSTANTS[type_])})"
            if random.random() < 0.5
            else self.load(type_)
        )

    def address(self) -> str:
        random = self.random
        made = f"(local.get ${random.choice('pqr')})"
        if self.uses_index or random.random() < 0.1:
            index = "(local.get $i)"
            factor = random.choice((1, 1, 1, 2, 3, 4))
            if factor != 1:
                index = random.choice((f"(i32.mul {index} (i32.const {factor}))",
                                       f"(i32.shl {index} (i32.const {factor // 2}))"))  # fmt: skip
            made = f"(i32.add {made} {index})"
        if random.random() < 0.2:
            made = f"(i32.add {made} (i32.const {random.choice((1, 2, 3, 4, 8, -1, -4))}))"
        return made

    def load(self, type_: str) -> str:
        random = self.random
        if random.random() < 0.06:
            index = self.value("i32", 1)
            table = f"(i32.add (local.get $r) (i32.and {index} (i32.const {random.choice((3, 255, 60))})))"
            return f"({type_}.{random.choice(LOADS[type_])} {table})"
        offset = random.choice((0, 0, 0, 1, 2, 3, 4, 8, 100))
        return f"({type_}.{random.choice(LOADS[type_])} offset={offset} {self.address()})"

    def store(self) -> str:
        type_ = self.random.choice(TYPES)
        offset = self.random.choice((0, 0, 0, 1, 2, 4))
        name = self.random.choice(STORES[type_])
        return f"({type_}.{name} offset={offset} {self.address()} {self.number(type_, 3)})"

    def number(self, type_: str, depth: int) -> str:
        """An expression, with 0 for the NaNs of arithmetic: their bits are nobody's to say."""
        made = self.value(type_, depth)
        if type_[0] == "i" or made.startswith(f"({type_}.load"):
            return made
        kept = "h" if type_ == "f32" else "z"
        return (
            f"(select ({type_}.const 0) (local.tee ${kept} {made}) "
            f"({type_}.ne (local.get ${kept}) (local.get ${kept})))"
        )

    def temporary(self) -> str:
        type_ = self.random.choice(TYPES)
        name = self.random.choice(TEMPORARY[type_])
        made = f"(local.set ${name} {self.value(type_, 3)})"
        self.set.append(name)
        return made

    def chosen(self) -> str:
        """A temporary local that two branches set, or one where it is set already."""
        random = self.random
        type_ = random.choice(TYPES)
        name = random.choice(TEMPORARY[type_])
        test = self.condition(2)
        first, second = (f"(local.set ${name} {self.value(type_, 2)})" for _ in range(2))
        extra = self.store() if random.random() < 0.3 else ""
        if name in self.set and random.random() < 0.5:
            return f"(block (br_if 0 {test}) {first} {extra})"
        self.set.append(name)
        if random.random() < 0.5:
            return f"(if {test} (then {first} {extra}) (else {second}))"
        return f"(block $o (block $i (br_if $i {test}) {first} {extra} (br $o)) {second})"

    def switched(self) -> str:
        """A temporary local that the arms of a switch set."""
        random = self.random
        type_ = random.choice(TYPES)
        name = random.choice(TEMPORARY[type_])
        arms = [f"(local.set ${name} {self.value(type_, 2)})" for _ in range(3)]
        extra = self.store() if random.random() < 0.3 else ""
        first = "" if name in self.set else f"(local.set ${name} {self.leaf(type_)})"
        self.set.append(name)
        return first + self.switch([arms[0], arms[1] + extra, arms[2]])

    def switch(self, arms: list[str]) -> str:
        """One of three arms or none, as a local or data says; one arm may go on with the next."""
        random = self.random
        chosen = ("(local.get $k)", f"(i32.and {self.load('i32')} (i32.const 7))", "(local.get $i)")
        labels = random.choices("abco", k=random.choice((1, 2, 3, 3, 4)))
        ends = "(br $o)", random.choice(("(br $o)", ""))
        table = " ".join(f"${label}" for label in labels)
        return f"""(block $o (block $c (block $b (block $a (br_table {table} {random.choice(chosen)}))
            {arms[0]} {ends[0]}) {arms[1]} {ends[1]}) {arms[2]})"""

    def delayed(self) -> str:
        """A store of what the round before has set, or those before have summed up, and the next value."""
        type_ = self.random.choice(TYPES)
        name = self.random.choice(SUMS[type_])
        before = f"({type_}.add (local.get ${name}) {self.leaf(type_)})"
        store = f"({type_}.{self.random.choice(STORES[type_])} {self.address()} {before})"
        if type_[0] == "f":  # of which no bits of a NaN are seen
            store = f"(i32.store8 {self.address()} ({type_}.lt {before} ({type_}.const 9)))"
        value, get = self.value(type_, 2), f"(local.get ${name})"
        if self.random.random() < 0.6:
            verb = self.random.choice(
                ("add", "add", "xor", "mul", "and") if type_[0] == "i" else ("add", "sub")
            )
            value = f"({type_}.{verb} {get} {value})"
            if type_[0] == "i" and self.random.random() < 0.5:
                number = self.random.choice(CONSTANTS[type_])
                value = self.horner(type_, get, f"({type_}.const {number})")
        parts = [store, f"(local.set ${name} {value})"]
        if self.random.random() < 0.3:
            parts.reverse()
        return " ".join(parts)

    def summed(self) -> str:
        """A local that depends on the round before."""
        random = self.random
        if random.random() < 0.2:
            return self.delayed()
        type_ = random.choice(TYPES)
        name = random.choice(SUMS[type_])
        get, value = f"(local.get ${name})", self.value(type_, 2)
        if random.random() < 0.3:
            kept = TEMPORARY[type_][0]
            compared = f"{type_}.{random.choice(('gt', 'lt'))}{'_s' * (type_[0] == 'i')}"
            test = f"({compared} (local.tee ${kept} {value}) {get})"
            got = f"(local.get ${kept})"
            if random.random() < 0.4:
                return f"(if {test} (then (local.set ${name} {got}) (local.set $j (local.get $i))))"
            return f"(local.set ${name} (select {got} {get} {test}))"
        if random.random() < 0.15:
            return f"(if {self.condition(1)} (then (local.set ${name} {value})))"
        if type_[0] == "i" and random.random() < 0.4:
            return f"(local.set ${name} {self.horner(type_, get, value)})"
        verb = random.choice(
            ("add", "add", "xor", "and", "or", "sub", "mul")
            if type_[0] == "i"
            else ("add", "add", "sub", "max", "min")
        )
        return f"(local.set ${name} ({type_}.{verb} {get} {value}))"

    def horner(self, type_: str, get: str, value: str) -> str:
        """A sum that is multiplied, maybe twice."""
        random, made = self.random, get
        kept = {"i32": "k", "i64": "w"}[type_]
        for _ in range(random.choice((1, 1, 2))):
            factors = f"({type_}.const {random.choice(CONSTANTS[type_])})", f"(local.get ${kept})"
            parts = [made, random.choice(factors)]
            random.shuffle(parts)
            made = f"({type_}.{random.choice(('mul', 'mul', 'shl'))} {' '.join(parts)})"
            parts = [made, value]
            random.shuffle(parts)
            made = f"({type_}.{random.choice(('add', 'add', 'sub', 'xor'))} {' '.join(parts)})"
        return made

    def loaded_again(self) -> str:
        """A search that loads its best value again in each round."""
        random = self.random
        type_, index = random.choice(TYPES), random.choice("iiij")
        load, shift = f"{type_}.{random.choice(LOADS[type_])}", f"(i32.const {random.choice((0, 1, 2, 3))})"
        offset = random.choice((0, 0, 4))
        compared = random.choice([name for name in COMPARED[type_[0]] if name[1] in "te"])
        base = f"(local.get ${random.choice('pqr')})"
        at = [f"(i32.add {base} (i32.shl (local.get ${name}) {shift}))" for name in ("i", "b")]
        chosen = "(local.get $i)" if index == "i" else "(local.get $j)"
        loads = [f"({load} offset={random.choice((offset, offset, 0))} {address})" for address in at]
        return f"(if ({type_}.{compared} {' '.join(loads)}) (then (local.set $b {chosen})))"
