;; Programs that stop, each by what stops it: a heading with what `main` is called with, or several, and a module.
;; Some are written so that a compiler would like to move, fold or share what a backtrace has to tell: values that
;; are set again right after what traps, loops that count, functions that one would put into their callers.

;; unreachable: 1
(memory 1)
(func $main (export "main") (param $p i32) (if (local.get $p) (then unreachable)))

;; unreachable in a call: 3
(memory 1)
(func $leaf (param $a i32) (param $b i32) (result i32) (local $c i32)
  (local.set $c (i32.const 9))
  unreachable)
(func $caller (param $n i32) (result i32) (local $i i32)
  (loop $again (br_if $again (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1)))
    (local.get $n))))
  (i32.mul (i32.const 3) (call $leaf (local.get $i) (i32.const 0))))
(func $main (export "main") (param $n i32) (result i32) (call $caller (local.get $n)))

;; load: -8
(memory 1)
(func $main (export "main") (param $p i32) (drop (i32.load offset=8 (local.get $p))))

;; load of a byte at the very end: 65536
(memory 1)
(func $main (export "main") (param $p i32) (drop (i32.load8_s (local.get $p))))

;; load of f32: 65533
(memory 1)
(func $main (export "main") (param $p i32) (drop (f32.load align=1 (local.get $p))))

;; load of f64 at a product: 300
(memory 1)
(func $main (export "main") (param $p i32)
  (drop (f64.load (i32.mul (local.get $p) (local.get $p)))))

;; load of i64 far away: -1
(memory 1)
(func $main (export "main") (param $p i32)
  (drop (i64.load32_s offset=0xffffffff (local.get $p))))

;; load through a pointer: 4
(memory 1) (data (i32.const 4) "\fe\ff\ff\ff")
(func $main (export "main") (param $p i32) (drop (i32.load (i32.load (local.get $p)))))

;; load before locals change: 100000
(memory 1)
(func $main (export "main") (param $p i32) (result i32) (local $q i32)
  (i32.load (i32.mul (local.get $p) (i32.const 2)))
  (local.set $q (i32.const 5)) (local.set $q (i32.add (local.get $q) (i32.const 1)))
  (i32.add (local.get $q)))

;; store: 65534
(memory 1)
(func $main (export "main") (param $p i32) (i32.store (local.get $p) (i32.const 1)))

;; store of f32: 65533
(memory 1)
(func $main (export "main") (param $p i32)
  (f32.store offset=2 (local.get $p) (f32.const 0.1)))

;; store of i64 with a byte: -1
(memory 1)
(func $main (export "main") (param $p i32) (i64.store8 (local.get $p) (i64.const -1)))

;; second memory: 65536
(memory 2) (memory $b 1)
(func $main (export "main") (param $p i32) (drop (i32.load $b (local.get $p))))

;; memory64: -3
(memory i64 1)
(func $main (export "main") (param $p i64)
  (i64.store offset=16 (i64.sub (local.get $p) (i64.const 1)) (i64.const 2)))

;; no memory left to load from: 1
(memory 1 1)
(func $main (export "main") (param $p i32)
  (drop (i32.load (memory.grow (local.get $p)))))

;; memory.fill: 5
(memory 1)
(func $main (export "main") (param $p i32)
  (memory.fill (local.get $p) (i32.const 1) (i32.const 70000)))

;; memory.copy: 65530
(memory 1)
(func $main (export "main") (param $p i32)
  (memory.copy (i32.const 0) (local.get $p) (i32.const 10)))

;; memory.init: 0
(memory 1) (data $d "abc")
(func $main (export "main") (param $p i32)
  (memory.init $d (local.get $p) (i32.const 2) (i32.const 2)))

;; vector load: 65525
(memory 1)
(func $main (export "main") (param $p i32) (local $v v128)
  (drop (v128.load (local.get $p))))

;; vector store: 65520
(memory 1)
(func $main (export "main") (param $p i32) (local $v v128)
  (local.set $v (i32x4.splat (local.get $p)))
  (v128.store offset=1 (local.get $p) (local.get $v)))

;; vector load of a lane: 65535
(memory 1)
(func $main (export "main") (param $p i32)
  (drop (v128.load16_lane 3 (local.get $p) (v128.const i64x2 1 2))))

;; vector store of a lane: 65535
(memory 1)
(func $main (export "main") (param $p i32)
  (v128.store32_lane 1 (local.get $p) (v128.const i64x2 1 2)))

;; vector load and splat: 65536
(memory 1)
(func $main (export "main") (param $p i32) (drop (v128.load8_splat (local.get $p))))

;; loop that counts: 50
(memory 1)
(func $main (export "main") (param $n i32) (result i32) (local $i i32) (local $sum i32) (local $q i32)
  (local.set $q (i32.const 65500))
  (loop $again
    (local.set $sum (i32.add (local.get $sum) (i32.load (local.get $q))))
    (local.set $q (i32.add (local.get $q) (i32.const 4)))
    (br_if $again (i32.ne (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $n))))
  (local.get $sum))

;; loop that counts down first: 60
(memory 1)
(func $main (export "main") (param $n i32) (local $p i32)
  (local.set $p (i32.const 70000))
  (loop $again
    (local.set $n (i32.sub (local.get $n) (i32.const 1)))
    (i32.store8 (i32.add (local.get $p) (local.get $n)) (local.get $n))
    (br_if $again (local.get $n))))

;; loop that fills: 1000
(memory 1)
(func $main (export "main") (param $n i32) (local $i i32)
  (loop $again
    (i32.store8 (i32.add (local.get $i) (i32.const 65000)) (i32.const 7))
    (br_if $again (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $n)))))

;; loop that copies: 100
(memory 1)
(func $main (export "main") (param $n i32) (local $i i32) (local $from i32) (local $to i32)
  (local.set $from (i32.const 16)) (local.set $to (i32.const 65400))
  (loop $again
    (i32.store (local.get $to) (i32.load (local.get $from)))
    (local.set $from (i32.add (local.get $from) (i32.const 4)))
    (local.set $to (i32.add (local.get $to) (i32.const 4)))
    (br_if $again (i32.lt_s (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $n)))))

;; divide: 0
(memory 1)
(func $main (export "main") (param $p i32)
  (drop (i32.div_u (i32.const 7) (local.get $p))))

;; divide in a leaf: 7
;; divide in another leaf: 0
(func $leaf (param $a i32) (param $b i32) (result i32)
  (i32.div_s (local.get $a) (local.get $b)))
(func $middle (param $b i32) (result i32) (local $kept i32)
  (local.set $kept (i32.const 100))
  (i32.add (call $leaf (local.get $kept) (local.get $b)) (call $leaf (i32.const 1) (i32.const 0))))
(func $main (export "main") (param $b i32) (result i32) (call $middle (local.get $b)))

;; divide after wrapping: -2128831035 1000
(func $main (export "main") (param $h i32) (param $n i32) (result i32) (local $i i32) (local $x i64)
  (loop $again
    (local.set $h (i32.xor (i32.mul (local.get $h) (i32.const 16777619)) (local.get $i)))
    (local.set $x (i64.sub (i64.extend_i32_s (local.get $h)) (i64.const 3)))
    (local.set $i (i32.add (local.get $i) (i32.const 1)))
    (br_if $again (i32.lt_u (local.get $i) (local.get $n))))
  (i32.div_u (local.get $h) (i32.and (local.get $n) (i32.const 1))))

;; remainder: 0
(memory 1)
(func $main (export "main") (param $p i32)
  (drop (i64.rem_s (i64.const 7) (i64.extend_i32_u (local.get $p)))))

;; overflow: -1
(memory 1)
(func $main (export "main") (param $p i32)
  (drop (i32.div_s (i32.const 0x80000000) (local.get $p))))

;; overflow of i64: -1
(memory 1)
(func $main (export "main") (param $p i32)
  (drop (i64.div_s (i64.const 0x8000000000000000) (i64.extend_i32_s (local.get $p)))))

;; conversion of nan: nan
(memory 1)
(func $main (export "main") (param $p f32) (drop (i32.trunc_f32_s (local.get $p))))

;; conversion of too much: 1e+30
(memory 1)
(func $main (export "main") (param $p f64) (drop (i64.trunc_f64_u (local.get $p))))

;; undefined element: 4
;; uninitialized element: 3
;; indirect call type: 1
(type $unary (func (param i32) (result i32)))
(type $point (struct (field $x (mut i32)) (field (mut f64)))) (type $bytes (array (mut i8)))
(type $sub (sub (struct))) (type $other (sub $sub (struct (field i32))))(table 4 funcref) (elem
  (i32.const 0) $unary $binary)
(func $unary (type $unary) (i32.add (local.get 0) (i32.const 1)))
(func $binary (param i32 i32) (result i32) (i32.const 2))
(func $main (export "main") (param $at i32) (result i32) (local $before i64) (local $ref funcref)
  (local.set $before (i64.const -1)) (local.set $ref (ref.func $unary))
  (call_indirect (type $unary) (i32.const 7) (local.get $at)))

;; undefined element in tail position: -1
;; uninitialized element in tail position: 2
;; indirect call type in tail position: 1
(type $unary (func (param i32) (result i32)))
(type $point (struct (field $x (mut i32)) (field (mut f64)))) (type $bytes (array (mut i8)))
(type $sub (sub (struct))) (type $other (sub $sub (struct (field i32))))(table 4 funcref) (elem
  (i32.const 0) $unary $binary)
(func $unary (type $unary) (i32.add (local.get 0) (i32.const 1)))
(func $binary (param i32 i32) (result i32) (i32.const 2))
(func $next (param $at i32) (result i32)
  (return_call_indirect (type $unary) (i32.const 7) (local.get $at)))
(func $deeper (param $at i32) (result i32) (return_call $next (local.get $at)))
(func $main (export "main") (param $at i32) (result i32)
  (i32.add (i32.const 1) (call $deeper (local.get $at))))

;; a long chain of tail calls: 1000
(func $even (param $n i32) (result i32)
  (if (result i32) (local.get $n) (then (return_call $odd (i32.sub (local.get $n) (i32.const 1))))
    (else unreachable)))
(func $odd (param $n i32) (result i32)
  (if (result i32) (local.get $n) (then (return_call $even (i32.sub (local.get $n) (i32.const 1)))) (else
    (i32.const 0))))
(func $main (export "main") (param $n i32) (result i32) (call $even (local.get $n)))

;; table.get: 3
(table 3 externref)
(func $main (export "main") (param $p i32) (drop (table.get (local.get $p))))

;; table.set: -1
(table 3 externref)
(func $main (export "main") (param $p i32) (table.set (local.get $p) (ref.null extern)))

;; table.fill: 2
(table 3 externref)
(func $main (export "main") (param $p i32)
  (table.fill (local.get $p) (ref.null extern) (i32.const 2)))

;; table.copy: 3
(table 3 externref)
(func $main (export "main") (param $p i32)
  (table.copy (i32.const 1) (i32.const 0) (local.get $p)))

;; table.init: 0
(table 3 funcref) (elem $e func)
(func $main (export "main") (param $p i32)
  (table.init $e (i32.const 0) (local.get $p) (i32.const 1)))

;; null reference: 1
(type $unary (func (param i32) (result i32)))
(type $point (struct (field $x (mut i32)) (field (mut f64)))) (type $bytes (array (mut i8)))
(type $sub (sub (struct))) (type $other (sub $sub (struct (field i32))))
(func $main (export "main") (param $p i32) (local $r externref)
  (drop (ref.as_non_null (local.get $r))))

;; null function: 1
(type $unary (func (param i32) (result i32)))
(type $point (struct (field $x (mut i32)) (field (mut f64)))) (type $bytes (array (mut i8)))
(type $sub (sub (struct))) (type $other (sub $sub (struct (field i32))))
(func $main (export "main") (param $p i32) (local $r (ref null $unary))
  (drop (call_ref $unary (i32.const 1) (local.get $r))))

;; null structure: 1
(type $unary (func (param i32) (result i32)))
(type $point (struct (field $x (mut i32)) (field (mut f64)))) (type $bytes (array (mut i8)))
(type $sub (sub (struct))) (type $other (sub $sub (struct (field i32))))
(func $main (export "main") (param $p i32) (local $r (ref null $point))
  (drop (struct.get $point $x (local.get $r))))

;; null array: 1
(type $unary (func (param i32) (result i32)))
(type $point (struct (field $x (mut i32)) (field (mut f64)))) (type $bytes (array (mut i8)))
(type $sub (sub (struct))) (type $other (sub $sub (struct (field i32))))
(func $main (export "main") (param $p i32) (local $r (ref null $bytes))
  (drop (array.get_u $bytes (local.get $r) (local.get $p))))

;; null i31: 1
(type $unary (func (param i32) (result i32)))
(type $point (struct (field $x (mut i32)) (field (mut f64)))) (type $bytes (array (mut i8)))
(type $sub (sub (struct))) (type $other (sub $sub (struct (field i32))))
(func $main (export "main") (param $p i32) (local $r i31ref)
  (drop (i31.get_s (local.get $r))))

;; array.get: 5
(type $unary (func (param i32) (result i32)))
(type $point (struct (field $x (mut i32)) (field (mut f64)))) (type $bytes (array (mut i8)))
(type $sub (sub (struct))) (type $other (sub $sub (struct (field i32))))
(func $main (export "main") (param $p i32) (local $r (ref null $bytes))
  (drop (array.get_s $bytes (local.tee $r (array.new_default $bytes (i32.const 5))) (local.get $p))))

;; array.fill: 4
(type $unary (func (param i32) (result i32)))
(type $point (struct (field $x (mut i32)) (field (mut f64)))) (type $bytes (array (mut i8)))
(type $sub (sub (struct))) (type $other (sub $sub (struct (field i32))))
(func $main (export "main") (param $p i32)
  (array.fill $bytes (array.new_default $bytes (i32.const 5)) (local.get $p) (i32.const 1) (i32.const 2)))

;; cast: 1
(type $unary (func (param i32) (result i32)))
(type $point (struct (field $x (mut i32)) (field (mut f64)))) (type $bytes (array (mut i8)))
(type $sub (sub (struct))) (type $other (sub $sub (struct (field i32))))
(func $main (export "main") (param $p i32) (local $r anyref) (local $i i31ref)
  (drop (ref.cast (ref $other) (local.tee $r (struct.new $sub)))))

;; null exception: 1
(func $main (export "main") (param $p i32) (throw_ref (ref.null exn)))

;; exception: -2
(tag $bad (param i32)) (tag $other)
(func $throws (param $n i32) (throw $bad (local.get $n)))
(func $tries (param $n i32) (local $state i32)
  (local.set $state (i32.const 3))
  (block $caught (try_table (catch $other $caught) (call $throws (local.get $n)) (local.set $state
    (i32.const 4)))))
(func $main (export "main") (param $n i32) (call $tries (local.get $n)))

;; exception thrown again: 1
(tag $bad (param i32))
(func $throws (throw $bad (i32.const -5)))
(func $main (export "main") (param $n i32) (local $kept exnref)
  (block $caught (result i32 exnref) (try_table (catch_ref $bad $caught) (call $throws)) (return))
  (local.set $kept) (local.set $n)
  (throw_ref (local.get $kept)))

;; stack: 0
(func $deep (param $n i32) (param $x f64) (result i32)
  (i32.add (i32.const 1) (call $deep (i32.add (local.get $n) (i32.const 1)) (f64.mul (local.get $x)
    (f64.const 0.5)))))
(func $main (export "main") (param $n i32) (result i32)
  (call $deep (local.get $n) (f64.const 1)))

;; invalid body of a callee: 1
(func $bad (result i32) (i64.const 1))
(func $main (export "main") (param $p i32) (drop (call $bad)))

;; host function that fails: 70000
(import "host" "fail" (func $fail (param i32 i32) (result i32)))
(import "host" "back" (func $back (param i32) (result i32)))
(import "host" "misaligned" (func $misaligned (param i32) (result i32)))
(import "host" "violated" (func $violated (param i32) (result i32)))
(memory (export "memory") 1)
(func $main (export "main") (param $p i32) (result i32)
  (i32.add (i32.const 1) (call $fail (local.get $p) (i32.const -1))))

;; host function that finds a bad pointer: 7
(import "host" "fail" (func $fail (param i32 i32) (result i32)))
(import "host" "back" (func $back (param i32) (result i32)))
(import "host" "misaligned" (func $misaligned (param i32) (result i32)))
(import "host" "violated" (func $violated (param i32) (result i32)))
(memory (export "memory") 1)
(func $main (export "main") (param $p i32) (result i32) (call $misaligned (local.get $p)))

;; host function that finds a bad value: 0
;; host function that finds no value: 1
(import "host" "fail" (func $fail (param i32 i32) (result i32)))
(import "host" "back" (func $back (param i32) (result i32)))
(import "host" "misaligned" (func $misaligned (param i32) (result i32)))
(import "host" "violated" (func $violated (param i32) (result i32)))
(memory (export "memory") 1)
(func $main (export "main") (param $p i32) (result i32) (call $violated (local.get $p)))

;; host function in tail position: 3
(import "host" "fail" (func $fail (param i32 i32) (result i32)))
(import "host" "back" (func $back (param i32) (result i32)))
(import "host" "misaligned" (func $misaligned (param i32) (result i32)))
(import "host" "violated" (func $violated (param i32) (result i32)))
(memory (export "memory") 1)
(func $last (param $p i32) (result i32) (return_call $fail (local.get $p) (i32.const 2)))
(func $main (export "main") (param $p i32) (result i32)
  (i32.add (i32.const 1) (call $last (local.get $p))))

;; host function that calls back: 0
(import "host" "fail" (func $fail (param i32 i32) (result i32)))
(import "host" "back" (func $back (param i32) (result i32)))
(import "host" "misaligned" (func $misaligned (param i32) (result i32)))
(import "host" "violated" (func $violated (param i32) (result i32)))
(memory (export "memory") 1)
(func $again (export "again") (param $p i32) (result i32)
  (i32.div_u (i32.const 1) (local.get $p)))
(func $main (export "main") (param $p i32) (result i32) (local $l i32) (local.set $l
  (i32.const 5)) (call $back (local.get $p)))

;; array beyond the limit: -1
(type $unary (func (param i32) (result i32)))
(type $point (struct (field $x (mut i32)) (field (mut f64)))) (type $bytes (array (mut i8)))
(type $sub (sub (struct))) (type $other (sub $sub (struct (field i32))))
(func $main (export "main") (param $p i32)
  (drop (array.new_default $bytes (local.get $p))))

;; atomic load that is not aligned: 2
(memory 1)
(func $main (export "main") (param $p i32) (result i32) (i32.atomic.load (local.get $p)))

;; waiting on memory that is not shared: 8
(memory 1)
(func $main (export "main") (param $p i32) (result i32)
  (memory.atomic.wait32 (local.get $p) (i32.const 0) (i64.const 0)))

;; structure without its descriptor: 0
(rec (type $object (descriptor $class) (struct)) (type $class (describes $object) (struct)))
(func $main (export "main") (param $p i32)
  (drop (struct.new_desc $object (ref.null none))))

;; object with another descriptor: 0
(rec (type $object (descriptor $class) (struct)) (type $class (describes $object) (struct)))
(func $main (export "main") (param $p i32)
  (drop (ref.cast_desc_eq (ref $object) (struct.new_desc $object (struct.new $class)) (struct.new $class))))
