;; Small functions, each for something that the compiler does; the file NAME.txt beside this one shows function $NAME.
(module
  (type $binary (func (param i32 i32) (result i32)))
  (import "env" "log" (func $log (param i32)))
  (memory 1)
  (table 4 funcref)
  (global $count (mut i32) (i32.const 0))
  (elem (i32.const 0) $masks $guard)

  (func $masks (type $binary)
    (i32.mul (i32.add (local.get 0) (local.get 1)) (i32.sub (local.get 0) (local.get 1))))

  (func $guard (type $binary)
    (local i32)
    (local.set 2 (i32.add (local.get 0) (local.get 1)))
    (i32.xor (local.get 2) (local.get 0)))

  (func $signs (param i32 i64) (result i64)
    (select
      (i64.shr_s (local.get 1) (i64.extend_i32_u (local.get 0)))
      (i64.div_s (local.get 1) (i64.extend_i32_s (local.get 0)))
      (i32.lt_s (local.get 0) (i32.const 3))))

  (func $sum (param $at i32) (param $end i32) (result i32)
    (local $sum i32)
    (loop $next
      (local.set $sum (i32.add (local.get $sum) (i32.load8_u offset=16 (local.get $at))))
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (br_if $next (i32.ne (local.get $at) (local.get $end))))
    (local.get $sum))

  (func $copy (param $to i32) (param $from i32)
    (i32.store (local.get $to) (i32.load (local.get $from)))
    (i64.store offset=8 (local.get $to) (i64.load32_s (local.get $from)))
    (memory.copy (local.get $to) (local.get $from) (i32.const 64)))

  (func $order (param i32) (result i32)
    (i32.add (global.get $count) (call $step (local.get 0))))

  (func $step (param i32) (result i32)
    (global.set $count (i32.add (global.get $count) (local.get 0)))
    (call $log (global.get $count))
    (global.get $count))

  (func $choose (param i32) (result i32)
    (block $c (block $b (block $a
      (br_table $a $b $b $c (local.get 0)))
      (return (i32.const 10)))
      (return (i32.const 20)))
    (i32.const 30))

  (func $across (param i32)
    (loop $outer
      (loop $inner
        (br_if $outer (i32.load (local.get 0)))
        (br_if $inner (i32.load offset=4 (local.get 0))))))

  (func $either (type $binary)
    (if (result i32) (i32.eqz (local.get 0))
      (then (local.get 1))
      (else (i32.div_u (local.get 1) (local.get 0)))))

  (func $through (param i32 i32) (result i32)
    (call_indirect (type $binary) (local.get 0) (local.get 1) (i32.const 2)))

  (func $round (param f32 f32) (result f32)
    (f32.sqrt (f32.add (f32.mul (local.get 0) (local.get 0)) (f32.load (i32.const 8)))))

  (func $parity (param i32) (result i32)
    (if (result i32) (local.get 0)
      (then (return_call $parity (i32.sub (local.get 0) (i32.const 2))))
      (else (return_call $masks (local.get 0) (i32.const 1)))))

  (func $lanes (param v128 v128) (result v128)
    (v128.xor (i8x16.add (local.get 0) (local.get 1)) (i32x4.splat (i32.const 7)))))
