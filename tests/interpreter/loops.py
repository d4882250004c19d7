"""Random loops of the kind that is done with arrays, as text: they count in one of several ways, walk
pointers or use an index, load, calculate and store, choose by `select` and by branches, and sum up, also in a
short loop inside."""

from __future__ import annotations

from random import Random

from .loop_parts import ALL, CONSTANTS, GAPS, INTEGER, PARAMS, STORES, SUMS, Parts


class Writer(Parts):
    """Writes one loop."""

    def round(self) -> str:
        random = self.random
        kinds = [self.store] * 5 + [self.temporary] * 2 + [self.chosen] * 2 + [self.summed, self.switched]
        if random.random() < 0.25:  # without stores
            kinds = [random.choice((self.summed, self.loaded_again))] * 2 + [self.temporary]
        made = [random.choice(kinds)() for _ in range(random.choice((1, 1, 2, 2, 3, 4)))]
        if random.random() < 0.25:  # unrolled
            return "".join(made) + made[0]
        return "".join(made)

    def loop(self) -> str:
        """The loop, with what counts. `$n` is a multiple of the step."""
        random, body, step = self.random, self.round(), self.step
        walks = "".join(
            f"(local.set ${name} (i32.add (local.get ${name}) (i32.const {by})))"
            for name, by in self.walks.items()
            if by
        )
        next_ = f"(i32.add (local.get $i) (i32.const {abs(step)}))"
        if step < 0:
            return f"""(local.set $i (local.get $n)) (loop {body} {walks}
                (br_if 0 (local.tee $i (i32.sub (local.get $i) (i32.const 1)))))"""
        if random.random() < 0.15:
            return (
                f"(loop {body} {walks} (br_if 0 (local.tee $n (i32.sub (local.get $n) (i32.const {step})))))"
            )
        test = random.choice(("ne", "lt_u", "lt_s"))
        kind = random.random()
        if kind < 0.5:
            return f"(loop {body} {walks} (br_if 0 (i32.{test} (local.tee $i {next_}) (local.get $n))))"
        if kind < 0.65:
            return f"(loop {body} {walks} (br_if 0 (i32.gt_u (local.get $n) (local.tee $i {next_}))))"
        if kind < 0.8:
            return f"""(loop (if (i32.{test} (local.get $i) (local.get $n)) (then
                {body} {walks} (local.set $i {next_}) (br 1))))"""
        return f"""(block (loop (br_if 1 (i32.ge_u (local.get $i) (local.get $n)))
            {body} (local.set $i {next_}) {walks} (br 0)))"""

    def apart(self) -> str:
        """A loop that stores the same value with gaps, as a sieve does."""
        random = self.random
        type_ = random.choice(("i32", "i32", "i64"))
        by = random.choice(("(local.get $k)", "(local.get $k)", f"(i32.const {random.choice((3, 8, 100))})"))
        value = random.choice((f"({type_}.const {random.choice(CONSTANTS[type_])})", self.leaf(type_)))
        name = f"{type_}.{random.choice(STORES[type_])} offset={random.choice((0, 0, 3))}"
        test = random.choice(("le_u", "lt_u", "lt_s", "le_s"))
        return f"""(local.set $k (i32.or (local.get $k) (i32.const 1))) (local.set $j (local.get $p))
            (loop ({name} (i32.add (local.get $i) (local.get $j)) {value})
             (br_if 0 (i32.{test} (local.tee $i (i32.add (local.get $i) {by}))
              (i32.mul (local.get $n) (i32.const {random.choice((1, 60, 300))})))))"""

    def search(self) -> str:
        """A loop that goes on until it meets a byte, or two that differ, and may copy what it passes. It ends
        in any case: one of its locals counts, and others get to an end of memory."""
        random = self.random
        loads = [f"(i32.load8_u offset={random.choice((0, 0, 3))} (local.get ${name}))" for name in "pq"]
        byte, other = loads
        wanted = random.choice(("(i32.const 0)", "(i32.const 7)", "(local.get $k)"))
        ends = [
            f"(i32.eqz {byte})", f"(i32.eq {byte} {wanted})", f"(i32.ne {byte} {other})",
            "(i32.eq (local.get $i) (i32.mul (local.get $n) (i32.const 9)))", f"(i32.ne {wanted} {byte})",
        ]  # fmt: skip
        steps = ["(local.set $i (i32.add (local.get $i) (i32.const 1)))"]
        for name in "pq":
            verb, by = (
                random.choice(("add", "add", "add", "add", "sub")),
                random.choice((1, 1, 1, 1, 1, 1, 2)),
            )
            steps.append(f"(local.set ${name} (i32.{verb} (local.get ${name}) (i32.const {by})))")
        copy = f"(i32.store8 (local.get $r) (local.tee $t {byte}))"
        walk = "(local.set $r (i32.add (local.get $r) (i32.const 1)))"
        if random.random() < 0.2:
            random.shuffle(steps)
            return f"(loop {copy} {walk} {' '.join(steps)} (br_if 0 (i32.ne (local.get $t) {wanted})))"
        others = [f"(local.set $j (local.get ${random.choice('pqi')}))"] * 3 + [
            f"(local.set $t {random.choice(loads)})",
            copy + walk,
        ]
        body = random.sample(others, random.choice((0, 0, 0, 1, 2))) + steps
        random.shuffle(body)
        first, second = (random.choice(ends) for _ in range(2))
        kind = random.random()
        if kind < 0.3:
            return f"(loop {' '.join(body)} (br_if 0 (i32.eqz {first})))"
        if kind < 0.6:
            tests = [f"(br_if 1 {test})" for test in random.choice(([first], [first, second]))]
            return f"(block (loop {' '.join([*tests, *body])} (br 0)))"
        if kind < 0.8:
            return f"(block (loop (br_if 1 {first}) {' '.join(body)} (br_if 0 (i32.eqz {second}))))"
        return f"(loop (if (i32.eqz {first}) (then {' '.join(body)} (br 1))))"

    def nest(self) -> str:
        """A loop inside another, over rows that follow each other, with gaps or overlapping."""
        random, body, step = self.random, self.round(), abs(self.step)
        count = random.choice((5, 8, 13)) * step
        walks = "".join(
            f"(local.set ${name} (i32.add (local.get ${name}) (i32.const {by})))"
            for name, by in self.walks.items()
            if by
        )
        bound = random.choice((f"(i32.const {count})", "(local.get $m)"))
        tested = f"(i32.ne (local.tee $i (i32.add (local.get $i) (i32.const {step}))) {bound})"
        inner = f"(loop {body} {walks} (br_if 0 {tested}))"
        kind, next_ = random.random(), f"(local.set $i (i32.add (local.get $i) (i32.const {step})))"
        if kind < 0.25:
            inner = f"""(loop (if (i32.lt_s (local.get $i) {bound}) (then
                {body} {walks} {next_} (br 1))))"""
        elif kind < 0.4:
            inner = (
                f"(block (loop (br_if 1 (i32.ge_u (local.get $i) {bound})) {body} {next_} {walks} (br 0)))"
            )
        if random.random() < 0.1:
            inner = f"(if (local.get $k) (then {inner}))"
        gaps = "".join(
            f"(local.set ${name} (i32.add (local.get ${name}) (i32.const {random.choice(GAPS)})))"
            for name in "pqr"
            if random.random() < 0.5
        )
        if random.random() < 0.3:  # rows from a pointer of the outer loop
            gaps = "(local.set $p (local.get $u)) (local.set $u (i32.add (local.get $u) (i32.const 40)))"
        extra = [
            random.choice((self.store, self.temporary))() if random.random() < 0.2 else "" for _ in range(2)
        ]
        return f"""(local.set $m (i32.const {count}))
            (loop (local.set $i (i32.const 0)) {extra[0]} {inner} {gaps}
            {extra[1]} (br_if 0 (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))"""

    def taps(self) -> str:
        """A loop around a short one that sums up, as pictures are resized. It calls a function that only
        calculates, and may give up."""
        random, step = self.random, abs(self.step)
        type_ = random.choice(("f32", "f32", "f64", "i32", "i64"))
        name = random.choice(SUMS[type_])
        first = f"(local.set ${name} ({type_}.const {random.choice(CONSTANTS[type_])}))"
        parts = [
            self.temporary() if random.random() < 0.4 else "",
            self.checked(0.5),
            self.summed_up(type_, name),
        ]
        parts += [self.summed() if random.random() < 0.15 else "", self.walked("pq")]
        body = "".join(parts)
        bound = random.choice((f"(i32.const {step * random.choice((1, 2, 3, 5, 9))})", "(local.get $m)"))
        next_ = f"(i32.add (local.get $i) (i32.const {step}))"
        inner = f"(loop {body} (br_if 0 (i32.lt_u (local.tee $i {next_}) {bound})))"
        if random.random() < 0.3:
            inner = f"""(block (loop (br_if 1 (i32.ge_u (local.get $i) {bound})) {body}
                (local.set $i {next_}) (br 0)))"""
        if random.random() < 0.2:
            inner = f"(if (local.get $k) (then {inner}))"
        result = f"(local.get ${name})"
        if type_ == "f32" and random.random() < 0.7:
            result = f"(call $leaf {result} {self.leaf('f32')})"
        last = f"({type_}.store (local.get $r) {result}) {self.checked(0.3)}"
        starts = "(local.set $p (local.get $u)) (local.set $i (i32.const 0))"
        moves = self.walked("q") if random.random() < 0.3 else ""
        return f"""(local.set $m (i32.const {step * random.choice((2, 4, 7))})) (local.set $u (local.get $p))
            (block $fine (block $bad
            (loop {starts} {first if random.random() < 0.9 else ""} {inner} {last} {moves}
            (local.set $u (i32.add (local.get $u) (i32.const 3)))
            (local.set $r (i32.add (local.get $r) (i32.const {random.choice((4, 8, 8, 12))})))
            {self.store() if random.random() < 0.2 else ""}
            (br_if 0 (local.tee $n (i32.sub (local.get $n) (i32.const 1))))) (br $fine))
            (call $panic (local.get $i)) (unreachable))"""

    def matrix(self) -> str:
        """Two loops, or one, around a short one that sums up: products of matrices, filters of pictures."""
        random = self.random
        type_ = random.choice(("f32", "f32", "f64", "i32", "i64"))
        name = random.choice({**SUMS, "i32": ("a",)}[type_])
        width = 8 if type_[1:] == "64" else 4
        initial = f"({type_}.load {self.address()})" if random.random() < 0.3 else f"({type_}.const 0)"
        first = f"(local.set ${name} {initial})" if random.random() < 0.9 else ""
        body = self.temporary() if random.random() < 0.2 else ""
        body += self.checked(0.2) + self.summed_up(type_, name) + self.walked("pq")
        bound, few = random.choice(
            (("(local.get $m)", 0), ("(i32.const 4)", 4), ("(i32.and (local.get $k) (i32.const 15))", 0))
        )
        inner = self.unrolled(body, bound)
        result = f"(local.get ${name})"
        if type_[0] == "f":
            kept = "h" if type_ == "f32" else "z"
            result = (
                f"(select ({type_}.const 0) (local.tee ${kept} {result}) "
                f"({type_}.ne (local.get ${kept}) (local.get ${kept})))"
            )
        last = f"({type_}.store (local.get $r) {result}) {self.checked(0.15)}"
        extra = [write() if random.random() < 0.1 else "" for write in (self.store, self.summed, self.store)]
        columns = random.choice((1, 3, 5, 8))
        to = random.choice((width, width, 2 * width, -width))
        few = few or random.choice((1, 2, 4, 5, 6, 11))
        again = (
            f"(br_if 0 (i32.ne (local.tee $j (i32.add (local.get $j) (i32.const 1))) (i32.const {columns})))"
        )
        if random.random() < 0.3:
            again = "(local.set $j (i32.add (local.get $j) (i32.const 1)))"
        return f"""(local.set $m (i32.const {few})) (local.set $u (local.get $p))
            (local.set $b (local.get $q)) (block $fine (block $bad
            (loop (local.set $j (i32.const 0)) {extra[0]}
             (loop (local.set $p (local.get $u)) (local.set $i (i32.const 0)) (local.set $q (i32.add
               (local.get $b) (i32.mul (local.get $j) (i32.const {random.choice((0, width, width))}))))
              {first} {inner} {last} {extra[1]}
              (local.set $r (i32.add (local.get $r) (i32.const {to})))
              {again})
             (local.set $u (i32.add (local.get $u) (i32.const {random.choice((0, 3, 4, 20))}))) {extra[2]}
             (local.set $r (i32.add (local.get $r) (i32.const {random.choice((0, 0, 0, 4, 100, -8))})))
             (br_if 0 (local.tee $n (i32.sub (local.get $n) (i32.const 1))))) (br $fine))
            (call $panic (local.get $i)) (unreachable))"""

    def unrolled(self, body: str, bound: str) -> str:
        """A loop that counts $i up to a bound, which may do some rounds at a time, and those that are left
        behind it."""
        random = self.random
        next_ = "(local.set $i (i32.add (local.get $i) (i32.const {})))"
        once, kind = next_.format(1), random.random()
        if kind < 0.2:
            return f"(loop {body} {once} (br_if 0 (i32.lt_u (local.get $i) {bound})))"
        if kind < 0.4:
            return f"(block (loop (br_if 1 (i32.ge_u (local.get $i) {bound})) {body} {once} (br 0)))"
        if kind < 0.65:
            even = f"(i32.and {bound} (i32.const -2))"
            return f"""(block $done (block $odd (br_if $odd (i32.lt_u {bound} (i32.const 2)))
                (loop {body} {body} {next_.format(2)} (br_if 0 (i32.ne (local.get $i) {even})))
                (br_if $done (i32.eqz (i32.and {bound} (i32.const 1))))) {body})"""
        # Fewer than four are left, for which there is another loop.
        skip = f"(br_if $left (i32.lt_u {bound} (i32.const 4)))"
        rest, test = random.choice((
            (f"(br_if $done (i32.eqz (i32.and {bound} (i32.const 3))))", random.choice(("ne", "lt_u"))),
            ("", "lt_u"),
        ))  # fmt: skip
        again = f"(br_if 0 (i32.{test} (local.get $i) {bound}))"
        return f"""(block $done (block $left {skip}
            (loop {body * 4} {next_.format(4)}
             (br_if 0 (i32.ne (local.get $i) (i32.and {bound} (i32.const -4)))))) {rest}
            (loop {body} {once} {again}))"""

    def pixels(self) -> str:
        """A loop over pixels, which come from where a switch says; the loop over their channels, which are
        few, does two at a time, and the last one is done behind it."""
        random = self.random
        width = random.choice((1, 4, 4))
        few = "(i32.and (local.get $k) (i32.const 3))"
        count = random.choice(
            (few, f"(i32.add {few} (i32.const 1))", f"(i32.const {random.randrange(1, 6)})")
        )
        store = {1: "i32.store8", 4: random.choice(("i32.store", "f32.store"))}[width]
        places = ("(i32.const 5)", "(i32.sub (i32.const 90) (local.get $i))",
                  "(i32.rem_s (local.get $i) (local.get $k))", "(select (local.get $i) (local.get $k) "
                  "(i32.lt_s (local.get $i) (local.get $k)))")  # fmt: skip
        arms = [f"(local.set $t {place})" for place in random.sample(places, 3)]

        def done(offset: int, to: str) -> str:
            loaded = f"(i32.load8_u offset={offset} (i32.add (local.get $a) (local.get $j)))"
            value = (
                f"(f32.convert_i32_u {loaded})" if store[0] == "f" else f"(i32.xor {loaded} (i32.const 3))"
            )
            return f"({store} offset={offset * width} {to} {value})"

        pair = done(0, "(local.get $b)") + done(1, "(local.get $b)")
        row = f"(i32.mul (local.get $m) (i32.const {random.choice((width, width, width, 4))}))"
        behind = f"(i32.add (local.get $q) (i32.mul (local.get $j) (i32.const {width})))"
        extra = self.store() if random.random() < 0.2 else ""
        return f"""(local.set $m {count}) (local.set $u (i32.and (local.get $m) (i32.const -2)))
            (local.set $i (i32.const {random.choice((0, 0, -4))}))
            (loop (local.set $t (local.get $i)) {self.switch(arms)} {extra}
            (local.set $a (i32.add (local.get $p) (i32.mul (local.get $t) (local.get $m))))
            (block $done (br_if $done (i32.lt_s (local.get $m) (i32.const 1))) (local.set $j (i32.const 0))
             (block $odd (br_if $odd (i32.eq (local.get $m) (i32.const 1))) (local.set $b (local.get $q))
              (loop {pair} (local.set $b (i32.add (local.get $b) (i32.const {2 * width})))
               (br_if 0 (i32.ne (local.tee $j (i32.add (local.get $j) (i32.const 2))) (local.get $u))))
              (br_if $done (i32.eqz (i32.and (local.get $m) (i32.const 1)))))
             {done(0, behind)}) (local.set $q (i32.add (local.get $q) {row}))
            (local.set $i (i32.add (local.get $i) (i32.const 1)))
            (br_if 0 (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))"""

    def scatter(self) -> str:
        """A loop around a short one that adds to what is where data says, as often as data says."""
        random = self.random
        type_ = random.choice(("f32", "f64", "i32", "i32", "i64"))
        kind = random.choice(STORES[type_]).removeprefix("store")
        sign = random.choice(("_u", "_s")) if kind else ""
        by = random.choice((1, 2, 3) if type_[0] == "f" else (1, 2, 3, -1, 0))
        width = {"": 4 if type_[1:] == "32" else 8, "8": 1, "16": 2, "32": 4}[kind]
        body = self.temporary() if random.random() < 0.3 else ""
        for _ in range(random.choice((1, 1, 2, 3))):
            at = f"offset={width * random.choice((0, 1, 2))} (local.get $m)"
            parts = [f"({type_}.load{kind}{sign if kind else ''} {at})", self.limited(type_)]
            if random.random() < 0.3:
                parts.reverse()
            verb = random.choice(("add", "add", "add", "sub"))
            added = f"({type_}.store{kind} {at} ({type_}.{verb} {' '.join(parts)}))"
            body += added
        body += f"(local.set $m (i32.add (local.get $m) (i32.const {width * by})))"
        next_ = "(i32.add (local.get $j) (i32.const 1))"
        test = random.choice(("ne", "lt_s", "lt_u"))
        inner = random.choice((
            f"(loop {body} (br_if 0 (local.tee $i (i32.sub (local.get $i) (i32.const 1)))))",
            f"(local.set $j (i32.const 0)) (loop {body} (br_if 0 (i32.{test} (local.tee $j {next_}) "
            "(local.get $i))))",
            f"(local.set $j (i32.const 0)) (block (loop (br_if 1 (i32.ge_s (local.get $j) (local.get $i))) "
            f"{body} (local.set $j {next_}) (br 0)))",
        ))  # fmt: skip
        skip = random.choice(("(i32.eqz (local.get $i))", "(i32.lt_s (local.get $i) (i32.const 2))"))
        starts = f"""(local.set $m (i32.add (local.get $r) (i32.mul (i32.const {width})
            (i32.and (i32.load8_u (local.get $q)) (i32.const 7)))))
            (local.set $i (i32.and (i32.load8_u offset=1 (local.get $q)) (i32.const 3)))"""
        if random.random() < 0.3:
            starts += self.temporary()
        fill = "(memory.fill (local.get $r) (i32.const 0) (i32.const 200))" if type_[0] == "f" else ""
        return f"""{fill} (loop (block {starts} (br_if 0 {skip}) {inner}) {self.walked("pq")}
            {random.choice((self.store(), added)) if random.random() < 0.1 else ""}
            (br_if 0 (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))"""

    def limited(self, type_: str) -> str:
        """What is added: sums of it are no NaN."""
        made = self.number(type_, 2)
        if type_[0] == "i":
            return made
        if made.startswith(f"({type_}.load"):
            made = f"({type_}.const 0.1)"
        return f"({type_}.min ({type_}.max {made} ({type_}.const -1e9)) ({type_}.const 1e9))"

    def walked(self, names: str) -> str:
        return "".join(
            f"(local.set ${name} (i32.add (local.get ${name}) (i32.const {self.walks[name]})))"
            for name in names
        )

    def checked(self, share: float) -> str:
        """A check that fails rarely, in some of the functions."""
        if self.random.random() > share:
            return ""
        tests = (
            "(i32.gt_u (local.get $p) (i32.const 60000))", "(i32.eqz (local.get $r))",
            f"(i32.eq (i32.load8_u {self.address()}) (i32.const 255))",
            f"(f32.gt {self.value('f32', 1)} (f32.const 1e20))",
        )  # fmt: skip
        return f"(br_if $bad {self.random.choice(tests)})"

    def summed_up(self, type_: str, name: str) -> str:
        get, verb = f"(local.get ${name})", "mul" if type_[0] == "f" else self.random.choice(INTEGER)
        term = f"({type_}.{verb} {self.value(type_, 1)} {self.value(type_, 1)})"
        outer = self.random.choice(("add", "add", "sub", "mul" if type_[0] == "i" else "min"))
        return f"(local.set ${name} ({type_}.{outer} {get} {term}))"


HELPERS = """(func $panic (param i32) (unreachable))
  (func $leaf (param $x f32) (param $y f32) (result f32) (local $e f32)
    (block $end
      (br_if $end (f32.ne (local.get $x) (local.get $x)))
      (local.set $e (f32.nearest (local.get $x)))
      (if (f32.lt (local.get $e) (local.get $y)) (then (return (f32.mul (local.get $e) (f32.const 0.5)))))
      (local.set $x (local.get $e)))
    (local.get $x))"""


def function(random: Random) -> tuple[str, int]:
    """A function with a loop that returns all locals, and what the number of rounds is
    multiplied by; 0 for few rounds."""
    writer = Writer(random)
    kind = random.random()
    kinds = (
        (0.2, writer.nest),
        (0.3, writer.taps),
        (0.4, writer.matrix),
        (0.5, writer.scatter),
        (0.6, writer.pixels),
        (0.65, writer.apart),
        (0.7, writer.search),
        (1, writer.loop),
    )
    loop = next(write for below, write in kinds if kind < below)()
    if kind < 0.6:
        writer.step = 0 if kind < 0.2 else 1
    params = "".join(f"(param ${name} {type_})" for name, type_ in PARAMS.items())
    locals_ = "".join(f"(local ${name} {type_})" for name, type_ in ALL.items() if name not in PARAMS)
    first = "".join(
        f"(local.set ${name} ({ALL[name]}.const {random.choice(CONSTANTS[ALL[name]])}))"
        for names in SUMS.values()
        for name in names
        if random.random() < 0.5
    )
    gets = "".join(f"(local.get ${name})" for name in ALL)
    results = " ".join(ALL.values())
    text = f'(func (export "run") {params} (result {results}) {locals_} {first} {loop} {gets})'
    helpers = HELPERS if 0.2 <= kind < 0.4 else ""
    return f'(module (memory (export "memory") 1 1) {text} {helpers})', abs(writer.step)


def arguments(random: Random, step: int) -> list[int | float]:
    """Pointers that are near each other, at the ends of memory or outside it, and a number of rounds."""
    base = random.choice((0, 1, 1000, 4096, 20000, 65536 - 300, 65536 - 40, 65535, 70000, 2**32 - 8))
    near = [base + random.choice((0, 0, 1, 2, 4, 64, 500, 3000, -1, -8)) for _ in range(3)]
    if random.random() < 0.7:
        near = random.sample((2000, 9000, 17000, 30000, 41001), 3)
    rounds = random.choice((1, 3, 8, 20, 40, 67, 130, 200))
    k = random.choice((0, 1, 3, 77, 255, -1 % 2**32))
    w = random.choice((0, 5, 2**63, 2**64 - 1))
    x, y = random.choice((0.5, -0.0, 255.0, 1.5, float("nan"), 3e38)), random.choice((0.1, -0.0, 1e300, 7.0))
    return [*[address % 2**32 for address in near], rounds * step or random.randrange(1, 14), k, w, x, y]
