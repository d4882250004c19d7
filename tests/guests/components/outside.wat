;; Writes a line, and then one that lies outside of its memory.
;; build: pywasm-nn assemble outside.wat -o core.wasm, npx jco new core.wasm --wasi-command -o outside.wasm
(module (import "wasi_snapshot_preview1" "fd_write" (func $fd_write (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "environ_sizes_get" (func $env (param i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 64) "hello\n")
  (func $say (param i32) (i32.store (i32.const 0) (local.get 0)) (i32.store (i32.const 4) (i32.const 6))
    (drop (call $fd_write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8))))
  (func $_start (export "_start") (call $say (i32.const 64)) (call $say (i32.const -16)) (drop (call $env (i32.const -4) (i32.const -8)))))
