"""The text of a component that imports WASI 0.2 and exports each function for core code's numbers.

A core module imports each function lowered, and exports one that calls it; those are lifted with numbers for
parameters. The types are those of https://github.com/WebAssembly/WASI/tree/v0.2.12/proposals, by hand.
What is not here: who calls them (`p2_guest.py`).
"""

from __future__ import annotations

from functools import cache

from ..component.components import LIBC, assembled

ANSWER, STRINGS, STRINGS_END = 64, 512, 1024
"""Where answers lie, and where short arguments are put, below what the allocator gives."""
CODES = [
    "access",
    "would-block",
    "already",
    "bad-descriptor",
    "busy",
    "deadlock",
    "quota",
    "exist",
    "file-too-large",
    "illegal-byte-sequence",
    "in-progress",
    "interrupted",
    "invalid",
    "io",
    "is-directory",
    "loop",
    "too-many-links",
    "message-size",
    "name-too-long",
    "no-device",
    "no-entry",
    "no-lock",
    "insufficient-memory",
    "insufficient-space",
    "not-directory",
    "not-empty",
    "not-recoverable",
    "unsupported",
    "no-tty",
    "no-such-device",
    "overflow",
    "not-permitted",
    "pipe",
    "read-only",
    "invalid-seek",
    "text-file-busy",
    "cross-device",
]
"""`error-code` of wasi:filesystem, in its order."""
TYPES = [
    "unknown",
    "block-device",
    "character-device",
    "directory",
    "fifo",
    "symbolic-link",
    "regular-file",
    "socket",
]
STREAMS = """
  (alias outer 1 $Error (type $E)) (export "error" (type $e (eq $E)))
  (alias outer 1 $Pollable (type $P)) (export "pollable" (type $p (eq $P)))
  (export "input-stream" (type $i (sub resource)))
  (export "output-stream" (type $o (sub resource)))
  (type $failure (variant (case "last-operation-failed" (own $e)) (case "closed")))
  (export "stream-error" (type $f (eq $failure)))
"""
FILES = f"""
  (alias outer 1 $Error (type $E)) (export "error" (type $e (eq $E)))
  (alias outer 1 $Input (type $I)) (export "input-stream" (type $i (eq $I)))
  (alias outer 1 $Output (type $O)) (export "output-stream" (type $o (eq $O)))
  (alias outer 1 $Datetime (type $D)) (export "datetime" (type $date (eq $D)))
  (export "descriptor" (type $d (sub resource)))
  (export "directory-entry-stream" (type $entries (sub resource)))
  (type $kinds (enum {" ".join(f'"{name}"' for name in TYPES)}))
  (export "descriptor-type" (type $kind (eq $kinds)))
  (type $modes (flags "read" "write" "file-integrity-sync" "data-integrity-sync" "requested-write-sync"
    "mutate-directory")) (export "descriptor-flags" (type $mode (eq $modes)))
  (type $stats (record (field "type" $kind) (field "link-count" u64) (field "size" u64)
    (field "data-access-timestamp" (option $date)) (field "data-modification-timestamp" (option $date))
    (field "status-change-timestamp" (option $date)))) (export "descriptor-stat" (type $stat (eq $stats)))
  (type $ways (flags "symlink-follow")) (export "path-flags" (type $way (eq $ways)))
  (type $hows (flags "create" "directory" "exclusive" "truncate"))
  (export "open-flags" (type $how (eq $hows)))
  (type $times (variant (case "no-change") (case "now") (case "timestamp" $date)))
  (export "new-timestamp" (type $time (eq $times)))
  (type $entry_ (record (field "type" $kind) (field "name" string)))
  (export "directory-entry" (type $entry (eq $entry_)))
  (type $codes (enum {" ".join(f'"{name}"' for name in CODES)})) (export "error-code" (type $c (eq $codes)))
  (type $advices (enum "normal" "sequential" "random" "will-need" "dont-need" "no-reuse"))
  (export "advice" (type $advice (eq $advices)))
  (type $hashes (record (field "lower" u64) (field "upper" u64)))
  (export "metadata-hash-value" (type $hash (eq $hashes)))
"""
PREOPENS = """
  (alias outer 1 $Descriptor (type $D)) (export "descriptor" (type $d (eq $D)))
"""
DATES = """
  (type $dates (record (field "seconds" u64) (field "nanoseconds" u32)))
  (export "datetime" (type $date (eq $dates)))
"""
POLLABLES = '(alias outer 1 $Pollable (type $P)) (export "pollable" (type $p (eq $P)))'
INPUTS = '(alias outer 1 $Input (type $I)) (export "input-stream" (type $i (eq $I)))'
OUTPUTS = '(alias outer 1 $Output (type $O)) (export "output-stream" (type $o (eq $O)))'

IN, OUT, DESCRIPTOR = '(param "self" (borrow $i))', '(param "self" (borrow $o))', '(param "self" (borrow $d))'
LEN = '(param "len" u64)'
CONTENTS = '(param "contents" (list u8))'
SOURCE = '(param "src" (borrow $i))'
PATH = '(param "path" string)'
FLAGS = '(param "path-flags" $way)'
OFFSET = '(param "offset" u64)'
TIMES = '(param "data-access-timestamp" $time) (param "data-modification-timestamp" $time)'
ELSEWHERE = '(param "new-descriptor" (borrow $d)) (param "new-path" string)'


def result(ok: str, error: str) -> str:
    return f"(result (result {ok} (error {error})))"


ALLOCATOR = LIBC.replace("(global $next ", '(global $next (export "next") ')
"""Its end can be set back by the guest."""

INTERFACES: dict[str, tuple[str, dict[str, str], dict[str, tuple[str, str, str]]]] = {
    "wasi:io/error": (
        '(export "error" (type $e (sub resource)))',
        {"error": "Error"},
        {"[method]error.to-debug-string": ('(param "self" (borrow $e)) (result string)', "i", "string")},
    ),
    "wasi:io/poll": (
        '(export "pollable" (type $p (sub resource)))',
        {"pollable": "Pollable"},
        {
            "[method]pollable.ready": ('(param "self" (borrow $p)) (result bool)', "i", "i32"),
            "[method]pollable.block": ('(param "self" (borrow $p))', "i", ""),
            "poll": ('(param "in" (list (borrow $p))) (result (list u32))', "ii", "indices"),
        },
    ),
    "wasi:io/streams": (
        STREAMS,
        {"input-stream": "Input", "output-stream": "Output"},
        {
            **{
                f"[method]input-stream.{name}": (f"{IN} {LEN} {result(ok, '$f')}", "iI", f"stream {ok}")
                for name, ok in {
                    "read": "(list u8)",
                    "blocking-read": "(list u8)",
                    "skip": "u64",
                    "blocking-skip": "u64",
                }.items()
            },
            "[method]input-stream.subscribe": (f"{IN} (result (own $p))", "i", "i32"),
            "[method]output-stream.check-write": (f"{OUT} {result('u64', '$f')}", "i", "stream u64"),
            **{
                f"[method]output-stream.{name}": (f"{OUT} {CONTENTS} {result('', '$f')}", "iii", "stream ")
                for name in ("write", "blocking-write-and-flush")
            },
            **{
                f"[method]output-stream.{name}": (f"{OUT} {result('', '$f')}", "i", "stream ")
                for name in ("flush", "blocking-flush")
            },
            "[method]output-stream.subscribe": (f"{OUT} (result (own $p))", "i", "i32"),
            **{
                f"[method]output-stream.{name}": (f"{OUT} {LEN} {result('', '$f')}", "iI", "stream ")
                for name in ("write-zeroes", "blocking-write-zeroes-and-flush")
            },
            **{
                f"[method]output-stream.{name}": (
                    f"{OUT} {SOURCE} {LEN} {result('u64', '$f')}",
                    "iiI",
                    "stream u64",
                )
                for name in ("splice", "blocking-splice")
            },
        },
    ),
    "wasi:clocks/monotonic-clock": (
        POLLABLES,
        {},
        {
            "now": ("(result u64)", "", "i64"),
            "resolution": ("(result u64)", "", "i64"),
            "subscribe-instant": ('(param "when" u64) (result (own $p))', "I", "i32"),
            "subscribe-duration": ('(param "when" u64) (result (own $p))', "I", "i32"),
        },
    ),
    "wasi:clocks/wall-clock": (
        DATES,
        {"datetime": "Datetime"},
        dict.fromkeys(("now", "resolution"), ("(result $date)", "", "datetime")),
    ),
    "wasi:random/random": (
        "",
        {},
        {
            "get-random-bytes": (f"{LEN} (result (list u8))", "I", "bytes"),
            "get-random-u64": ("(result u64)", "", "i64"),
        },
    ),
    "wasi:random/insecure": (
        "",
        {},
        {
            "get-insecure-random-bytes": (f"{LEN} (result (list u8))", "I", "bytes"),
            "get-insecure-random-u64": ("(result u64)", "", "i64"),
        },
    ),
    "wasi:random/insecure-seed": ("", {}, {"insecure-seed": ("(result (tuple u64 u64))", "", "pair")}),
    "wasi:cli/stdin": (INPUTS, {}, {"get-stdin": ("(result (own $i))", "", "i32")}),
    "wasi:cli/stdout": (OUTPUTS, {}, {"get-stdout": ("(result (own $o))", "", "i32")}),
    "wasi:cli/stderr": (OUTPUTS, {}, {"get-stderr": ("(result (own $o))", "", "i32")}),
    "wasi:filesystem/types": (
        FILES,
        {"descriptor": "Descriptor", "directory-entry-stream": "Entries"},
        {
            **{
                f"[method]descriptor.{name}": (f"{DESCRIPTOR} {params} {result(ok, '$c')}", core, answer)
                for name, params, core, ok, answer in (
                    ("read-via-stream", OFFSET, "iI", "(own $i)", "file own"),
                    ("write-via-stream", OFFSET, "iI", "(own $o)", "file own"),
                    ("append-via-stream", "", "i", "(own $o)", "file own"),
                    ("advise", f'{OFFSET} (param "length" u64) (param "advice" $advice)', "iIIi", "", "file"),
                    ("sync-data", "", "i", "", "file"),
                    ("get-flags", "", "i", "$mode", "file byte"),
                    ("get-type", "", "i", "$kind", "file byte"),
                    ("set-size", '(param "size" u64)', "iI", "", "file"),
                    ("set-times", TIMES, "iiIiiIi", "", "file"),
                    ("read", f'(param "length" u64) {OFFSET}', "iII", "(tuple (list u8) bool)", "file read"),
                    ("write", f'(param "buffer" (list u8)) {OFFSET}', "iiiI", "u64", "file u64"),
                    ("read-directory", "", "i", "(own $entries)", "file own"),
                    ("sync", "", "i", "", "file"),
                    ("create-directory-at", PATH, "iii", "", "file"),
                    ("stat", "", "i", "$stat", "file stat"),
                    ("stat-at", f"{FLAGS} {PATH}", "iiii", "$stat", "file stat"),
                    ("set-times-at", f"{FLAGS} {PATH} {TIMES}", "iiiiiIiiIi", "", "file"),
                    (
                        "link-at",
                        f'(param "old-path-flags" $way) (param "old-path" string) {ELSEWHERE}',
                        "iiiiiii",
                        "",
                        "file",
                    ),
                    (
                        "open-at",
                        f'{FLAGS} {PATH} (param "open-flags" $how) (param "flags" $mode)',
                        "iiiiii",
                        "(own $d)",
                        "file own",
                    ),
                    ("readlink-at", PATH, "iii", "string", "file string"),
                    ("remove-directory-at", PATH, "iii", "", "file"),
                    ("rename-at", f'(param "old-path" string) {ELSEWHERE}', "iiiiii", "", "file"),
                    (
                        "symlink-at",
                        '(param "old-path" string) (param "new-path" string)',
                        "iiiii",
                        "",
                        "file",
                    ),
                    ("unlink-file-at", PATH, "iii", "", "file"),
                    ("metadata-hash", "", "i", "$hash", "file pair"),
                    ("metadata-hash-at", f"{FLAGS} {PATH}", "iiii", "$hash", "file pair"),
                )
            },
            "[method]descriptor.is-same-object": (
                f'{DESCRIPTOR} (param "other" (borrow $d)) (result bool)',
                "ii",
                "i32",
            ),
            "[method]directory-entry-stream.read-directory-entry": (
                f'(param "self" (borrow $entries)) {result("(option $entry)", "$c")}',
                "i",
                "file entry",
            ),
            "filesystem-error-code": ('(param "err" (borrow $e)) (result (option $c))', "i", "code"),
        },
    ),
    "wasi:filesystem/preopens": (
        PREOPENS,
        {},
        {"get-directories": ("(result (list (tuple (own $d) string)))", "", "directories")},
    ),
}
"""By interface: its types, which of them others use, and each function's type, the numbers that it takes as
core code, and what it answers."""


@cache
def world() -> tuple[bytes, dict[str, tuple[str, str, str]]]:
    """The component, and for each function by its short name: the export, its numbers and its answer."""
    text, lowered, wanted, passed, lifted = [], [], [], [], []
    found: dict[str, tuple[str, str, str]] = {}

    def add(short: str, core: str, answer: str, definition: str) -> None:
        export = f"f{len(found)}"
        direct = answer if answer in ("i32", "i64") else ""
        numbers = core + ("i" if answer and not direct else "")
        found[short] = export, core, answer
        types = " ".join({"i": "i32", "I": "i64"}[number] for number in numbers)
        type_ = f"(param {types}) {f'(result {direct})' if direct else ''}"
        gets = " ".join(f"(local.get {index})" for index in range(len(numbers)))
        lowered.append(f"{definition}")
        wanted.append(f'(import "w" "{export}" (func ${export} {type_}))')
        passed.append(f'(func (export "{export}") {type_} (call ${export} {gets}))')
        params = " ".join(
            f'(param "p{index}" {"u64" if number == "I" else "u32"})' for index, number in enumerate(numbers)
        )
        gives = f"(result {direct.replace('i', 'u')})" if direct else ""
        lifted.append(
            f'(alias core export $pass "{export}" (core func $l_{export}))'
            f'(func (export "{export}") {params} {gives} (canon lift (core func $l_{export})))'
        )

    for interface, (types, shared, functions) in INTERFACES.items():
        name = interface.partition("/")[2]
        exports = "".join(
            f'(export "{function}" (func {type_}))' for function, (type_, _, _) in functions.items()
        )
        text.append(f'(import "{interface}@0.2.12" (instance ${name} {types} {exports}))')
        for type_, alias in shared.items():
            text.append(f'(alias export ${name} "{type_}" (type ${alias}))')
            if type_ != "datetime":
                at = f"f{len(found)}"
                add(f"drop {type_}", "i", "", f"(core func $i_{at} (canon resource.drop ${alias}))")
        for function, (_, core, answer) in functions.items():
            short = function.removeprefix("[method]")
            if short in found:  # both clocks have now
                short = f"{name} {short}"
            at = f"f{len(found)}"
            definition = (
                f'(alias export ${name} "{function}" (func $c_{at}))'
                f"(core func $i_{at} (canon lower (func $c_{at}) (memory $memory) (realloc $realloc)))"
            )
            add(short, core, answer, definition)
    instance = " ".join(f'(export "{export}" (func $i_{export}))' for export, _, _ in found.values())
    whole = f"""(component {" ".join(text)} {ALLOCATOR} {" ".join(lowered)}
      (core module $Pass {" ".join(wanted)} {" ".join(passed)})
      (core instance $pass (instantiate $Pass (with "w" (instance {instance}))))
      {" ".join(lifted)}
      {rounds(found)}
      (core module $Access (import "m" "memory" (memory 1))
        (import "m" "realloc" (func $realloc (param i32 i32 i32 i32) (result i32)))
        (func (export "room") (param i32) (result i32)
          (call $realloc (i32.const 0) (i32.const 0) (i32.const 8) (local.get 0)))
        (func (export "poke") (param i32 i32 i32) (memory.copy (local.get 0) (local.get 1) (local.get 2)))
        (func (export "peek") (param i32 i32) (result i32)
          (i32.store (i32.const 0) (local.get 0)) (i32.store (i32.const 4) (local.get 1)) (i32.const 0))
        (func (export "size") (result i32) (memory.size)))
      (core instance $access (instantiate $Access (with "m" (instance $libc))))
      (alias core export $access "poke" (core func $poke))
      (alias core export $access "peek" (core func $peek))
      (alias core export $access "size" (core func $size))
      (func (export "poke") (param "at" u32) (param "data" (list u8))
        (canon lift (core func $poke) (memory $memory) (realloc $realloc)))
      (func (export "peek") (param "at" u32) (param "count" u32) (result (list u8))
        (canon lift (core func $peek) (memory $memory)))
      (alias core export $access "room" (core func $room))
      (func (export "room") (param "count" u32) (result u32) (canon lift (core func $room)))
      (func (export "size") (result u32) (canon lift (core func $size))))"""
    return assembled(whole), found


def rounds(found: dict[str, tuple[str, str, str]]) -> str:
    """`rounds(count, base, at, length)`: opens the file of this name, reads of it, through a stream too, and
    drops all, so often. Gives how often all went well. What the host allocates is given back each time."""
    imports = {
        "open": ("descriptor.open-at", "i32 i32 i32 i32 i32 i32 i32"),
        "read": ("descriptor.read", "i32 i64 i64 i32"),
        "stream": ("descriptor.read-via-stream", "i32 i64 i32"),
        "take": ("input-stream.read", "i32 i64 i32"),
        "wait": ("input-stream.subscribe", "i32"),
        "ready": ("pollable.ready", "i32"),
        "drop_p": ("drop pollable", "i32"),
        "drop_s": ("drop input-stream", "i32"),
        "drop_d": ("drop descriptor", "i32"),
    }
    given = " ".join(f'(export "{name}" (func $i_{found[short][0]}))' for name, (short, _) in imports.items())
    wanted = " ".join(
        f'(import "w" "{name}" (func ${name} (param {types})'
        f" {'(result i32)' if name in ('wait', 'ready') else ''}))"
        for name, (_, types) in imports.items()
    )
    return f"""
      (core module $Rounds {wanted}
        (import "m" "memory" (memory 1)) (import "m" "next" (global $next (mut i32)))
        (func (export "rounds") (param $n i32) (param $base i32) (param $at i32) (param $length i32)
          (result i32) (local $well i32) (local $top i32) (local $d i32) (local $s i32)
          (local $p i32) (local $ok i32)
          (local.set $top (global.get $next))
          (block $done (loop $next
            (br_if $done (i32.eqz (local.get $n)))
            (local.set $n (i32.sub (local.get $n) (i32.const 1)))
            (call $open (local.get $base) (i32.const 1) (local.get $at) (local.get $length) (i32.const 0)
              (i32.const 1) (i32.const {ANSWER}))
            (br_if $next (i32.load8_u (i32.const {ANSWER})))
            (local.set $d (i32.load (i32.const {ANSWER + 4})))
            (call $read (local.get $d) (i64.const 4) (i64.const 2) (i32.const {ANSWER}))
            (local.set $ok (i32.eqz (i32.load8_u (i32.const {ANSWER}))))
            (call $stream (local.get $d) (i64.const 1) (i32.const {ANSWER}))
            (local.set $ok (i32.and (local.get $ok) (i32.eqz (i32.load8_u (i32.const {ANSWER})))))
            (local.set $s (i32.load (i32.const {ANSWER + 4})))
            (local.set $p (call $wait (local.get $s)))
            (local.set $ok (i32.and (local.get $ok) (call $ready (local.get $p))))
            (call $take (local.get $s) (i64.const 3) (i32.const {ANSWER}))
            (local.set $ok (i32.and (local.get $ok) (i32.eqz (i32.load8_u (i32.const {ANSWER})))))
            (call $drop_p (local.get $p))
            (call $drop_s (local.get $s))
            (call $drop_d (local.get $d))
            (global.set $next (local.get $top))
            (local.set $well (i32.add (local.get $well) (local.get $ok)))
            (br $next)))
          (local.get $well)))
      (core instance $rounds (instantiate $Rounds (with "w" (instance {given})) (with "m" (instance $libc))))
      (alias core export $rounds "rounds" (core func $rounds))
      (func (export "rounds") (param "n" u32) (param "base" u32) (param "at" u32) (param "length" u32)
        (result u32) (canon lift (core func $rounds)))"""
