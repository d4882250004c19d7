;; The provider and the reader of library.wit as one component: books and strings cross between them.
;; It is made of the two, which build.py therefore makes first.
;; build: node compose.mjs together.wat together.wasm
(component
  (component $Shelf "shelf.wasm")
  (component $Reader "reader.wasm")
  (instance $shelf (instantiate $Shelf))
  (alias export $shelf "demo:library/shelf" (instance $books))
  (import "demo:library/critics" (instance $critics
    (export "judge" (func (param "text" string) (result (result u8 (error string)))))))
  (instance $reader (instantiate $Reader
    (with "demo:library/shelf" (instance $books))
    (with "demo:library/critics" (instance $critics))))
  (export "demo:library/shelf" (instance $books))
  (export "demo:library/reading" (instance $reader "demo:library/reading")))
