;; Which digit is on the picture? Asks the model that the host calls "digits".
;; run: pywasm-nn run classify.wat --models models < models/digit.pgm
(module
  (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (import "wasi_ephemeral_nn" "load_by_name" (func $load_by_name (param i32 i32 i32) (result i32)))
  (import "wasi_ephemeral_nn" "init_execution_context" (func $init (param i32 i32) (result i32)))
  (import "wasi_ephemeral_nn" "set_input" (func $set_input (param i32 i32 i32) (result i32)))
  (import "wasi_ephemeral_nn" "compute" (func $compute (param i32) (result i32)))
  (import "wasi_ephemeral_nn" "get_output" (func $get_output (param i32 i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  ;; 0: where to read: 1024 bytes at 1024; 8: how many came; 12: the model; 16: its context; 20: bytes of the output
  (data (i32.const 0) "\00\04\00\00\00\04\00\00")
  (data (i32.const 32) "digits")
  ;; 40: the tensor: dimensions at 64, 4 of them, f32, elements at 2048, 256 bytes
  (data (i32.const 40) "\40\00\00\00\04\00\00\00\01\00\00\00\00\08\00\00\00\01\00\00")
  (data (i32.const 64) "\01\00\00\00\01\00\00\00\08\00\00\00\08\00\00\00")
  ;; 96: what to write: 2 bytes at 104
  (data (i32.const 96) "\68\00\00\00\02\00\00\00" "?\n")

  ;; Every function of wasi-nn answers an error number; 0 is success.
  (func $check (param $error i32)
    (if (local.get $error) (then (call $exit (local.get $error)))))

  ;; The picture's last 64 bytes are its pixels, 0 to 16; the model wants 0 to 1.
  (func $pixels (local $first i32) (local $n i32)
    (local.set $first (i32.sub (i32.add (i32.const 1024) (i32.load (i32.const 8))) (i32.const 64)))
    (loop $next
      (f32.store offset=2048 (i32.mul (local.get $n) (i32.const 4))
        (f32.div (f32.convert_i32_u (i32.load8_u (i32.add (local.get $first) (local.get $n)))) (f32.const 16)))
      (br_if $next (i32.lt_u (local.tee $n (i32.add (local.get $n) (i32.const 1))) (i32.const 64)))))

  ;; The number of the largest of the ten probabilities at 3072.
  (func $best (result i32) (local $n i32) (local $best i32)
    (loop $next
      (if (f32.gt (f32.load offset=3072 (i32.mul (local.get $n) (i32.const 4)))
                  (f32.load offset=3072 (i32.mul (local.get $best) (i32.const 4))))
        (then (local.set $best (local.get $n))))
      (br_if $next (i32.lt_u (local.tee $n (i32.add (local.get $n) (i32.const 1))) (i32.const 10))))
    (local.get $best))

  (func (export "_start")
    (call $check (call $read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 8)))
    (call $pixels)
    (call $check (call $load_by_name (i32.const 32) (i32.const 6) (i32.const 12)))
    (call $check (call $init (i32.load (i32.const 12)) (i32.const 16)))
    (call $check (call $set_input (i32.load (i32.const 16)) (i32.const 0) (i32.const 40)))
    (call $check (call $compute (i32.load (i32.const 16))))
    (call $check (call $get_output
      (i32.load (i32.const 16)) (i32.const 0) (i32.const 3072) (i32.const 40) (i32.const 20)))
    (i32.store8 (i32.const 104) (i32.add (i32.const 48) (call $best)))
    (drop (call $write (i32.const 1) (i32.const 96) (i32.const 1) (i32.const 8)))))
