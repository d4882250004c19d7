;; Structures with descriptors: types that stand before the memories of the surroundings, and globals after everything.
  (rec
    (type $box (sub (descriptor $about_box) (struct (field (mut i32)) (field (mut anyref)))))
    (type $about_box (sub (describes $box) (struct (field (mut i64)))))
    (type $crate (sub $box (descriptor $about_crate)
      (struct (field (mut i32)) (field (mut anyref)) (field (mut f64)) (field (mut i8)))))
    (type $about_crate (sub $about_box (describes $crate) (descriptor $meta)
      (struct (field (mut i64)) (field (mut i16)))))
    (type $meta (describes $about_crate) (struct (field (mut i32)))))

  (global $a_meta (ref (exact $meta)) (struct.new $meta (i32.const 5)))
  (global $a_box (ref (exact $about_box)) (struct.new $about_box (i64.const 11)))
  (global $a_crate (ref (exact $about_crate))
    (struct.new_desc $about_crate (i64.const 12) (i32.const 7) (global.get $a_meta)))
  (global (mut (ref null $box)) (struct.new_default_desc $box (global.get $a_box)))
  (global (mut (ref null $crate)) (struct.new_default_desc $crate (global.get $a_crate)))
  (global (mut (ref null $about_crate)) (global.get $a_crate))
