(module
  (type (;0;) (func (param i32 i32) (result i32)))
  (type (;1;) (func (param i32 i32 i64) (result i64)))
  (type (;2;) (func (param i32 i32) (result f32)))
  (type (;3;) (func (param i32 i32 i32 i32) (result i32)))
  (func (;0;) (type 0) (param i32 i32) (result i32)
    (local i32 i32)
    i32.const 7
    local.set 2
    block  ;; label = @1
      local.get 1
      i32.eqz
      br_if 0 (;@1;)
      local.get 1
      i32.const 7
      i32.and
      local.set 3
      block  ;; label = @2
        local.get 1
        i32.const -1
        i32.add
        i32.const 7
        i32.lt_u
        br_if 0 (;@2;)
        local.get 1
        i32.const -8
        i32.and
        local.set 1
        i32.const 7
        local.set 2
        loop  ;; label = @3
          local.get 2
          i32.const 31
          i32.mul
          local.get 0
          i32.load8_u
          i32.add
          i32.const 31
          i32.mul
          local.get 0
          i32.const 1
          i32.add
          i32.load8_u
          i32.add
          i32.const 31
          i32.mul
          local.get 0
          i32.const 2
          i32.add
          i32.load8_u
          i32.add
          i32.const 31
          i32.mul
          local.get 0
          i32.const 3
          i32.add
          i32.load8_u
          i32.add
          i32.const 31
          i32.mul
          local.get 0
          i32.const 4
          i32.add
          i32.load8_u
          i32.add
          i32.const 31
          i32.mul
          local.get 0
          i32.const 5
          i32.add
          i32.load8_u
          i32.add
          i32.const 31
          i32.mul
          local.get 0
          i32.const 6
          i32.add
          i32.load8_u
          i32.add
          i32.const 31
          i32.mul
          local.get 0
          i32.const 7
          i32.add
          i32.load8_u
          i32.add
          local.set 2
          local.get 0
          i32.const 8
          i32.add
          local.set 0
          local.get 1
          i32.const -8
          i32.add
          local.tee 1
          br_if 0 (;@3;)
        end
      end
      local.get 3
      i32.eqz
      br_if 0 (;@1;)
      loop  ;; label = @2
        local.get 2
        i32.const 31
        i32.mul
        local.get 0
        i32.load8_u
        i32.add
        local.set 2
        local.get 0
        i32.const 1
        i32.add
        local.set 0
        local.get 3
        i32.const -1
        i32.add
        local.tee 3
        br_if 0 (;@2;)
      end
    end
    local.get 2
  )
  (func (;1;) (type 0) (param i32 i32) (result i32)
    (local i32 i32)
    block  ;; label = @1
      local.get 1
      br_if 0 (;@1;)
      i32.const 5381
      return
    end
    local.get 1
    i32.const 7
    i32.and
    local.set 2
    block  ;; label = @1
      block  ;; label = @2
        local.get 1
        i32.const -1
        i32.add
        i32.const 7
        i32.ge_u
        br_if 0 (;@2;)
        i32.const 5381
        local.set 1
        br 1 (;@1;)
      end
      local.get 1
      i32.const -8
      i32.and
      local.set 3
      i32.const 5381
      local.set 1
      loop  ;; label = @2
        local.get 1
        i32.const 33
        i32.mul
        local.get 0
        i32.load8_u
        i32.add
        i32.const 33
        i32.mul
        local.get 0
        i32.const 1
        i32.add
        i32.load8_u
        i32.add
        i32.const 33
        i32.mul
        local.get 0
        i32.const 2
        i32.add
        i32.load8_u
        i32.add
        i32.const 33
        i32.mul
        local.get 0
        i32.const 3
        i32.add
        i32.load8_u
        i32.add
        i32.const 33
        i32.mul
        local.get 0
        i32.const 4
        i32.add
        i32.load8_u
        i32.add
        i32.const 33
        i32.mul
        local.get 0
        i32.const 5
        i32.add
        i32.load8_u
        i32.add
        i32.const 33
        i32.mul
        local.get 0
        i32.const 6
        i32.add
        i32.load8_u
        i32.add
        i32.const 33
        i32.mul
        local.get 0
        i32.const 7
        i32.add
        i32.load8_u
        i32.add
        local.set 1
        local.get 0
        i32.const 8
        i32.add
        local.set 0
        local.get 3
        i32.const -8
        i32.add
        local.tee 3
        br_if 0 (;@2;)
      end
    end
    block  ;; label = @1
      local.get 2
      i32.eqz
      br_if 0 (;@1;)
      loop  ;; label = @2
        local.get 1
        i32.const 33
        i32.mul
        local.get 0
        i32.load8_u
        i32.add
        local.set 1
        local.get 0
        i32.const 1
        i32.add
        local.set 0
        local.get 2
        i32.const -1
        i32.add
        local.tee 2
        br_if 0 (;@2;)
      end
    end
    local.get 1
  )
  (func (;2;) (type 1) (param i32 i32 i64) (result i64)
    (local i32 i32 i64)
    block  ;; label = @1
      local.get 1
      br_if 0 (;@1;)
      i64.const 1
      return
    end
    local.get 1
    i32.const -1
    i32.add
    i32.const 1073741823
    i32.and
    local.tee 3
    i32.const 1
    i32.add
    local.tee 4
    i32.const 7
    i32.and
    local.set 1
    block  ;; label = @1
      block  ;; label = @2
        local.get 3
        i32.const 7
        i32.ge_u
        br_if 0 (;@2;)
        i64.const 1
        local.set 5
        br 1 (;@1;)
      end
      local.get 4
      i32.const 2147483640
      i32.and
      local.set 3
      i64.const 1
      local.set 5
      loop  ;; label = @2
        local.get 5
        local.get 2
        i64.mul
        local.get 0
        i64.load32_u
        i64.add
        local.get 2
        i64.mul
        local.get 0
        i32.const 4
        i32.add
        i64.load32_u
        i64.add
        local.get 2
        i64.mul
        local.get 0
        i32.const 8
        i32.add
        i64.load32_u
        i64.add
        local.get 2
        i64.mul
        local.get 0
        i32.const 12
        i32.add
        i64.load32_u
        i64.add
        local.get 2
        i64.mul
        local.get 0
        i32.const 16
        i32.add
        i64.load32_u
        i64.add
        local.get 2
        i64.mul
        local.get 0
        i32.const 20
        i32.add
        i64.load32_u
        i64.add
        local.get 2
        i64.mul
        local.get 0
        i32.const 24
        i32.add
        i64.load32_u
        i64.add
        local.get 2
        i64.mul
        local.get 0
        i32.const 28
        i32.add
        i64.load32_u
        i64.add
        local.set 5
        local.get 0
        i32.const 32
        i32.add
        local.set 0
        local.get 3
        i32.const -8
        i32.add
        local.tee 3
        br_if 0 (;@2;)
      end
    end
    block  ;; label = @1
      local.get 1
      i32.eqz
      br_if 0 (;@1;)
      loop  ;; label = @2
        local.get 5
        local.get 2
        i64.mul
        local.get 0
        i64.load32_u
        i64.add
        local.set 5
        local.get 0
        i32.const 4
        i32.add
        local.set 0
        local.get 1
        i32.const -1
        i32.add
        local.tee 1
        br_if 0 (;@2;)
      end
    end
    local.get 5
  )
  (func (;3;) (type 0) (param i32 i32) (result i32)
    (local i32)
    block  ;; label = @1
      local.get 1
      br_if 0 (;@1;)
      i32.const 0
      return
    end
    local.get 0
    i32.load
    local.set 2
    block  ;; label = @1
      local.get 1
      i32.const -1
      i32.add
      i32.const 1073741823
      i32.and
      i32.const 97
      i32.lt_u
      br_if 0 (;@1;)
      local.get 0
      i32.const 388
      i32.add
      local.set 0
      local.get 1
      i32.const 2
      i32.shl
      i32.const -4
      i32.add
      local.set 1
      loop  ;; label = @2
        local.get 0
        i32.load
        local.get 2
        i32.const 31
        i32.mul
        i32.add
        local.set 2
        local.get 0
        i32.const 388
        i32.add
        local.set 0
        local.get 1
        i32.const -388
        i32.add
        local.tee 1
        i32.const 384
        i32.gt_u
        br_if 0 (;@2;)
      end
    end
    local.get 2
  )
  (func (;4;) (type 0) (param i32 i32) (result i32)
    (local i32 i32 i32 i32 i32)
    i32.const 0
    local.set 2
    block  ;; label = @1
      local.get 1
      i32.const 2
      i32.lt_u
      br_if 0 (;@1;)
      local.get 1
      i32.const -1
      i32.add
      local.tee 2
      i32.const 3
      i32.and
      local.set 3
      block  ;; label = @2
        block  ;; label = @3
          local.get 1
          i32.const -2
          i32.add
          i32.const 3
          i32.ge_u
          br_if 0 (;@3;)
          i32.const 1
          local.set 1
          i32.const 0
          local.set 2
          br 1 (;@2;)
        end
        local.get 0
        i32.const 16
        i32.add
        local.set 4
        local.get 2
        i32.const -4
        i32.and
        local.set 5
        i32.const 0
        local.set 2
        i32.const 1
        local.set 1
        loop  ;; label = @3
          local.get 1
          i32.const 3
          i32.add
          local.tee 6
          local.get 1
          i32.const 2
          i32.add
          local.get 1
          i32.const 1
          i32.add
          local.get 1
          local.get 2
          local.get 4
          i32.const -12
          i32.add
          f32.load
          local.get 0
          local.get 2
          i32.const 2
          i32.shl
          i32.add
          f32.load
          f32.gt
          select
          local.tee 2
          local.get 4
          i32.const -8
          i32.add
          f32.load
          local.get 0
          local.get 2
          i32.const 2
          i32.shl
          i32.add
          f32.load
          f32.gt
          select
          local.tee 2
          local.get 4
          i32.const -4
          i32.add
          f32.load
          local.get 0
          local.get 2
          i32.const 2
          i32.shl
          i32.add
          f32.load
          f32.gt
          select
          local.tee 2
          local.get 4
          f32.load
          local.get 0
          local.get 2
          i32.const 2
          i32.shl
          i32.add
          f32.load
          f32.gt
          select
          local.set 2
          local.get 1
          i32.const 4
          i32.add
          local.set 1
          local.get 4
          i32.const 16
          i32.add
          local.set 4
          local.get 6
          local.get 5
          i32.ne
          br_if 0 (;@3;)
        end
      end
      local.get 3
      i32.eqz
      br_if 0 (;@1;)
      local.get 0
      local.get 1
      i32.const 2
      i32.shl
      i32.add
      local.set 4
      loop  ;; label = @2
        local.get 1
        local.get 2
        local.get 4
        f32.load
        local.get 0
        local.get 2
        i32.const 2
        i32.shl
        i32.add
        f32.load
        f32.gt
        select
        local.set 2
        local.get 4
        i32.const 4
        i32.add
        local.set 4
        local.get 1
        i32.const 1
        i32.add
        local.set 1
        local.get 3
        i32.const -1
        i32.add
        local.tee 3
        br_if 0 (;@2;)
      end
    end
    local.get 2
  )
  (func (;5;) (type 0) (param i32 i32) (result i32)
    (local i32 i32 i32 i32 i32)
    i32.const 0
    local.set 2
    block  ;; label = @1
      local.get 1
      i32.const 2
      i32.lt_u
      br_if 0 (;@1;)
      local.get 1
      i32.const -1
      i32.add
      local.tee 2
      i32.const 3
      i32.and
      local.set 3
      block  ;; label = @2
        block  ;; label = @3
          local.get 1
          i32.const -2
          i32.add
          i32.const 3
          i32.ge_u
          br_if 0 (;@3;)
          i32.const 1
          local.set 1
          i32.const 0
          local.set 2
          br 1 (;@2;)
        end
        local.get 2
        i32.const -4
        i32.and
        local.set 4
        i32.const 0
        local.set 2
        i32.const 4
        local.set 1
        loop  ;; label = @3
          local.get 1
          local.get 1
          i32.const -1
          i32.add
          local.get 1
          i32.const -2
          i32.add
          local.get 1
          i32.const -3
          i32.add
          local.get 2
          local.get 0
          local.get 1
          i32.add
          local.tee 5
          i32.const -3
          i32.add
          i32.load8_u
          local.get 0
          local.get 2
          i32.add
          i32.load8_u
          i32.lt_u
          select
          local.tee 2
          local.get 5
          i32.const -2
          i32.add
          i32.load8_u
          local.get 0
          local.get 2
          i32.add
          i32.load8_u
          i32.lt_u
          select
          local.tee 2
          local.get 5
          i32.const -1
          i32.add
          i32.load8_u
          local.get 0
          local.get 2
          i32.add
          i32.load8_u
          i32.lt_u
          select
          local.tee 2
          local.get 5
          i32.load8_u
          local.get 0
          local.get 2
          i32.add
          i32.load8_u
          i32.lt_u
          select
          local.set 2
          local.get 1
          local.get 4
          i32.eq
          local.set 5
          local.get 1
          i32.const 4
          i32.add
          local.tee 6
          local.set 1
          local.get 5
          i32.eqz
          br_if 0 (;@3;)
        end
        local.get 6
        i32.const -3
        i32.add
        local.set 1
      end
      local.get 3
      i32.eqz
      br_if 0 (;@1;)
      loop  ;; label = @2
        local.get 1
        local.get 2
        local.get 0
        local.get 1
        i32.add
        i32.load8_u
        local.get 0
        local.get 2
        i32.add
        i32.load8_u
        i32.lt_u
        select
        local.set 2
        local.get 1
        i32.const 1
        i32.add
        local.set 1
        local.get 3
        i32.const -1
        i32.add
        local.tee 3
        br_if 0 (;@2;)
      end
    end
    local.get 2
  )
  (func (;6;) (type 2) (param i32 i32) (result f32)
    (local f32 i32 i32 i32 f32 f32 f32 f32)
    local.get 0
    f32.load
    local.set 2
    block  ;; label = @1
      local.get 1
      i32.const 2
      i32.lt_u
      br_if 0 (;@1;)
      local.get 1
      i32.const -1
      i32.add
      local.tee 3
      i32.const 3
      i32.and
      local.set 4
      block  ;; label = @2
        block  ;; label = @3
          local.get 1
          i32.const -2
          i32.add
          i32.const 3
          i32.ge_u
          br_if 0 (;@3;)
          i32.const 1
          local.set 1
          br 1 (;@2;)
        end
        local.get 0
        i32.const 16
        i32.add
        local.set 1
        local.get 3
        i32.const -4
        i32.and
        local.set 5
        i32.const 0
        local.set 3
        loop  ;; label = @3
          local.get 1
          f32.load
          local.tee 6
          local.get 1
          i32.const -4
          i32.add
          f32.load
          local.tee 7
          local.get 1
          i32.const -8
          i32.add
          f32.load
          local.tee 8
          local.get 1
          i32.const -12
          i32.add
          f32.load
          local.tee 9
          local.get 2
          local.get 2
          local.get 9
          f32.lt
          select
          local.tee 2
          local.get 2
          local.get 8
          f32.lt
          select
          local.tee 2
          local.get 2
          local.get 7
          f32.lt
          select
          local.tee 2
          local.get 2
          local.get 6
          f32.lt
          select
          local.set 2
          local.get 1
          i32.const 16
          i32.add
          local.set 1
          local.get 5
          local.get 3
          i32.const 4
          i32.add
          local.tee 3
          i32.ne
          br_if 0 (;@3;)
        end
        local.get 3
        i32.const 1
        i32.add
        local.set 1
      end
      local.get 4
      i32.eqz
      br_if 0 (;@1;)
      local.get 0
      local.get 1
      i32.const 2
      i32.shl
      i32.add
      local.set 1
      loop  ;; label = @2
        local.get 1
        f32.load
        local.tee 6
        local.get 2
        local.get 2
        local.get 6
        f32.lt
        select
        local.set 2
        local.get 1
        i32.const 4
        i32.add
        local.set 1
        local.get 4
        i32.const -1
        i32.add
        local.tee 4
        br_if 0 (;@2;)
      end
    end
    local.get 2
  )
  (func (;7;) (type 3) (param i32 i32 i32 i32) (result i32)
    (local i32 i32 i32 i32 i32 i32 i32)
    block  ;; label = @1
      local.get 1
      br_if 0 (;@1;)
      i32.const 0
      return
    end
    local.get 2
    i32.const -4
    i32.and
    local.set 4
    local.get 2
    i32.const 3
    i32.and
    local.set 5
    i32.const 0
    local.set 6
    local.get 2
    i32.const -1
    i32.add
    i32.const 3
    i32.lt_u
    local.set 7
    i32.const 0
    local.set 8
    loop  ;; label = @1
      local.get 8
      i32.const 1
      i32.add
      local.set 8
      block  ;; label = @2
        local.get 2
        i32.eqz
        br_if 0 (;@2;)
        i32.const 0
        local.set 9
        block  ;; label = @3
          local.get 7
          br_if 0 (;@3;)
          i32.const 0
          local.set 9
          loop  ;; label = @4
            local.get 6
            i32.const 31
            i32.mul
            local.get 0
            local.get 9
            i32.add
            local.tee 6
            i32.load8_u
            i32.add
            i32.const 31
            i32.mul
            local.get 6
            i32.const 1
            i32.add
            i32.load8_u
            i32.add
            i32.const 31
            i32.mul
            local.get 6
            i32.const 2
            i32.add
            i32.load8_u
            i32.add
            i32.const 31
            i32.mul
            local.get 6
            i32.const 3
            i32.add
            i32.load8_u
            i32.add
            local.set 6
            local.get 4
            local.get 9
            i32.const 4
            i32.add
            local.tee 9
            i32.ne
            br_if 0 (;@4;)
          end
        end
        local.get 5
        i32.eqz
        br_if 0 (;@2;)
        local.get 0
        local.get 9
        i32.add
        local.set 9
        local.get 5
        local.set 10
        loop  ;; label = @3
          local.get 6
          i32.const 31
          i32.mul
          local.get 9
          i32.load8_u
          i32.add
          local.set 6
          local.get 9
          i32.const 1
          i32.add
          local.set 9
          local.get 10
          i32.const -1
          i32.add
          local.tee 10
          br_if 0 (;@3;)
        end
      end
      local.get 0
      local.get 3
      i32.add
      local.set 0
      local.get 8
      local.get 1
      i32.ne
      br_if 0 (;@1;)
    end
    local.get 6
  )
  (table (;0;) 1 1 funcref)
  (memory (;0;) 256)
  (global (;0;) (mut i32) (i32.const 1048576))
  (global (;1;) i32 (i32.const 1048576))
  (global (;2;) i32 (i32.const 1048576))
  (export "memory" (memory 0))
  (export "hash31" (func 0))
  (export "djb2" (func 1))
  (export "rolling" (func 2))
  (export "hash97" (func 3))
  (export "argmax" (func 4))
  (export "argminb" (func 5))
  (export "fmaxi" (func 6))
  (export "checksum" (func 7))
  (export "__data_end" (global 1))
  (export "__heap_base" (global 2))
)
