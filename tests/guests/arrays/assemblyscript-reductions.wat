(module
  (type (;0;) (func (param i32 i32) (result i32)))
  (type (;1;) (func (param i32 i32 i64) (result i64)))
  (type (;2;) (func (param i32 i32) (result f64)))
  (type (;3;) (func (param i32 i32) (result f32)))
  (type (;4;) (func (param i32 i32 i32 i32) (result i32)))
  (func (;0;) (type 1) (param i32 i32 i64) (result i64)
    (local i64 i32)
    i64.const 1
    local.set 3
    loop  ;; label = @1
      local.get 1
      local.get 4
      i32.gt_u
      if  ;; label = @2
        local.get 0
        local.get 4
        i32.const 2
        i32.shl
        i32.add
        i64.load32_u
        local.get 2
        local.get 3
        i64.mul
        i64.add
        local.set 3
        local.get 4
        i32.const 1
        i32.add
        local.set 4
        br 1 (;@1;)
      end
    end
    local.get 3
  )
  (func (;1;) (type 0) (param i32 i32) (result i32)
    (local i32 i32)
    loop  ;; label = @1
      local.get 1
      local.get 2
      i32.gt_u
      if  ;; label = @2
        local.get 0
        local.get 2
        i32.const 2
        i32.shl
        i32.add
        i32.load
        local.get 3
        i32.const 31
        i32.mul
        i32.add
        local.set 3
        local.get 2
        i32.const 97
        i32.add
        local.set 2
        br 1 (;@1;)
      end
    end
    local.get 3
  )
  (func (;2;) (type 0) (param i32 i32) (result i32)
    (local i32 i32)
    i32.const 7
    local.set 2
    loop  ;; label = @1
      local.get 1
      local.get 3
      i32.gt_u
      if  ;; label = @2
        local.get 0
        local.get 3
        i32.add
        i32.load8_u
        local.get 2
        i32.const 31
        i32.mul
        i32.add
        local.set 2
        local.get 3
        i32.const 1
        i32.add
        local.set 3
        br 1 (;@1;)
      end
    end
    local.get 2
  )
  (func (;3;) (type 2) (param i32 i32) (result f64)
    (local i32 f64)
    local.get 0
    f64.load
    local.set 3
    i32.const 1
    local.set 2
    loop  ;; label = @1
      local.get 1
      local.get 2
      i32.gt_u
      if  ;; label = @2
        local.get 3
        local.get 0
        local.get 2
        i32.const 3
        i32.shl
        i32.add
        f64.load
        f64.min
        local.set 3
        local.get 2
        i32.const 1
        i32.add
        local.set 2
        br 1 (;@1;)
      end
    end
    local.get 3
  )
  (func (;4;) (type 3) (param i32 i32) (result f32)
    (local i32 f32)
    local.get 0
    f32.load
    local.set 3
    i32.const 1
    local.set 2
    loop  ;; label = @1
      local.get 1
      local.get 2
      i32.gt_u
      if  ;; label = @2
        local.get 3
        local.get 0
        local.get 2
        i32.const 2
        i32.shl
        i32.add
        f32.load
        f32.max
        local.set 3
        local.get 2
        i32.const 1
        i32.add
        local.set 2
        br 1 (;@1;)
      end
    end
    local.get 3
  )
  (func (;5;) (type 0) (param i32 i32) (result i32)
    (local i32 i32)
    i32.const 5381
    local.set 2
    loop  ;; label = @1
      local.get 1
      local.get 3
      i32.gt_u
      if  ;; label = @2
        local.get 0
        local.get 3
        i32.add
        i32.load8_u
        local.get 2
        i32.const 5
        i32.shl
        local.get 2
        i32.add
        i32.add
        local.set 2
        local.get 3
        i32.const 1
        i32.add
        local.set 3
        br 1 (;@1;)
      end
    end
    local.get 2
  )
  (func (;6;) (type 4) (param i32 i32 i32 i32) (result i32)
    (local i32 i32 i32)
    loop  ;; label = @1
      local.get 1
      local.get 5
      i32.gt_u
      if  ;; label = @2
        i32.const 0
        local.set 4
        loop  ;; label = @3
          local.get 2
          local.get 4
          i32.gt_u
          if  ;; label = @4
            local.get 0
            local.get 3
            local.get 5
            i32.mul
            i32.add
            local.get 4
            i32.add
            i32.load8_u
            local.get 6
            i32.const 31
            i32.mul
            i32.add
            local.set 6
            local.get 4
            i32.const 1
            i32.add
            local.set 4
            br 1 (;@3;)
          end
        end
        local.get 5
        i32.const 1
        i32.add
        local.set 5
        br 1 (;@1;)
      end
    end
    local.get 6
  )
  (func (;7;) (type 0) (param i32 i32) (result i32)
    (local i32 i32)
    i32.const 1
    local.set 2
    loop  ;; label = @1
      local.get 1
      local.get 2
      i32.gt_u
      if  ;; label = @2
        local.get 2
        local.get 3
        local.get 0
        local.get 2
        i32.add
        i32.load8_u
        local.get 0
        local.get 3
        i32.add
        i32.load8_u
        i32.lt_u
        select
        local.set 3
        local.get 2
        i32.const 1
        i32.add
        local.set 2
        br 1 (;@1;)
      end
    end
    local.get 3
  )
  (func (;8;) (type 0) (param i32 i32) (result i32)
    (local i32 i32)
    i32.const 1
    local.set 2
    loop  ;; label = @1
      local.get 1
      local.get 2
      i32.gt_u
      if  ;; label = @2
        local.get 2
        local.get 3
        local.get 0
        local.get 2
        i32.const 2
        i32.shl
        i32.add
        f32.load
        local.get 0
        local.get 3
        i32.const 2
        i32.shl
        i32.add
        f32.load
        f32.gt
        select
        local.set 3
        local.get 2
        i32.const 1
        i32.add
        local.set 2
        br 1 (;@1;)
      end
    end
    local.get 3
  )
  (memory (;0;) 256)
  (export "hash31" (func 2))
  (export "djb2" (func 5))
  (export "rolling" (func 0))
  (export "hash97" (func 1))
  (export "argmax" (func 8))
  (export "argminb" (func 7))
  (export "fmins" (func 3))
  (export "fmaxi" (func 4))
  (export "checksum" (func 6))
  (export "memory" (memory 0))
)
