;; Never answers.
(module
  (memory (export "memory") 1)
  (func (export "run") (loop (br 0))))
