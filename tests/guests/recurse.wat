;; Recursion of a given depth in several ways, each without a byte of linear memory: what counts is frames.
;; $direct calls itself, $even and $odd each other, $indirect itself through a table.
;; Each uses exactly n + 1 guest frames and answers n.
(module
  (type $step (func (param i32) (result i32)))
  (table 1 funcref)
  (elem (i32.const 0) $indirect)

  (func $direct (export "direct") (type $step)
    (if (result i32) (i32.eqz (local.get 0))
      (then (i32.const 0))
      (else (i32.add (call $direct (i32.sub (local.get 0) (i32.const 1))) (i32.const 1)))))

  (func $even (export "mutual") (type $step)
    (if (result i32) (i32.eqz (local.get 0))
      (then (i32.const 0))
      (else (i32.add (call $odd (i32.sub (local.get 0) (i32.const 1))) (i32.const 1)))))

  (func $odd (type $step)
    (if (result i32) (i32.eqz (local.get 0))
      (then (i32.const 0))
      (else (i32.add (call $even (i32.sub (local.get 0) (i32.const 1))) (i32.const 1)))))

  (func $indirect (export "indirect") (type $step)
    (if (result i32) (i32.eqz (local.get 0))
      (then (i32.const 0))
      (else
        (i32.add
          (call_indirect (type $step) (i32.sub (local.get 0) (i32.const 1)) (i32.const 0))
          (i32.const 1))))))
