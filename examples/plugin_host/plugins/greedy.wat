;; Takes memory until there is none, and then writes beyond it.
(module
  (memory (export "memory") 1)
  (func (export "run")
    (loop (br_if 0 (i32.ne (memory.grow (i32.const 16)) (i32.const -1))))
    (i32.store (i32.const -4) (i32.const 1))))
