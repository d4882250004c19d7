;; Answers with the request in capital letters.
(module
  (import "host" "size" (func $size (result i32)))
  (import "host" "read" (func $read (param i32 i32) (result i32)))
  (import "host" "write" (func $write (param i32 i32)))
  (memory (export "memory") 1)
  (func (export "run") (local $at i32) (local $end i32) (local $byte i32)
    (drop (memory.grow (i32.shr_u (call $size) (i32.const 16))))
    (local.set $end (call $read (i32.const 0) (call $size)))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        (local.set $byte (i32.load8_u (local.get $at)))
        (if (i32.lt_u (i32.sub (local.get $byte) (i32.const 97)) (i32.const 26))
          (then (i32.store8 (local.get $at) (i32.sub (local.get $byte) (i32.const 32)))))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br $next)))
    (call $write (i32.const 0) (local.get $end))))
