(module
  (type (;0;) (func (param i32 i32 i32)))
  (type (;1;) (func (param i32 i32 i32 i32 i32)))
  (type (;2;) (func (param i32 i32) (result i32)))
  (type (;3;) (func (param i32 i32) (result f32)))
  (type (;4;) (func (param i32 i32 i32) (result f32)))
  (type (;5;) (func (param i32 i32 i32 i32)))
  (type (;6;) (func (param i32 i32 i32 f32 i32)))
  (func (;0;) (type 0) (param i32 i32 i32)
    block  ;; label = @1
      local.get 2
      i32.eqz
      br_if 0 (;@1;)
      loop  ;; label = @2
        local.get 1
        local.get 0
        i32.load8_u
        f32.convert_i32_u
        f32.const 255
        f32.div
        f32.const -0.485
        f32.add
        f32.const 0.229
        f32.div
        f32.store
        local.get 0
        i32.const 1
        i32.add
        local.set 0
        local.get 1
        i32.const 4
        i32.add
        local.set 1
        local.get 2
        i32.const -1
        i32.add
        local.tee 2
        br_if 0 (;@2;)
      end
    end
  )
  (func (;1;) (type 1) (param i32 i32 i32 i32 i32)
    block  ;; label = @1
      local.get 2
      i32.eqz
      br_if 0 (;@1;)
      loop  ;; label = @2
        local.get 1
        local.get 0
        i32.load8_u
        f32.convert_i32_u
        f32.const 255
        f32.div
        local.get 3
        f32.load
        f32.sub
        local.get 4
        f32.load
        f32.div
        f32.store
        local.get 1
        i32.const 4
        i32.add
        local.get 0
        i32.const 1
        i32.add
        i32.load8_u
        f32.convert_i32_u
        f32.const 255
        f32.div
        local.get 3
        f32.load offset=4
        f32.sub
        local.get 4
        f32.load offset=4
        f32.div
        f32.store
        local.get 1
        i32.const 8
        i32.add
        local.get 0
        i32.const 2
        i32.add
        i32.load8_u
        f32.convert_i32_u
        f32.const 255
        f32.div
        local.get 3
        f32.load offset=8
        f32.sub
        local.get 4
        f32.load offset=8
        f32.div
        f32.store
        local.get 1
        i32.const 12
        i32.add
        local.set 1
        local.get 0
        i32.const 3
        i32.add
        local.set 0
        local.get 2
        i32.const -1
        i32.add
        local.tee 2
        br_if 0 (;@2;)
      end
    end
  )
  (func (;2;) (type 0) (param i32 i32 i32)
    (local i32 i32 i32 i32 i32 i32 i32)
    block  ;; label = @1
      local.get 2
      i32.eqz
      br_if 0 (;@1;)
      local.get 2
      i32.const 3
      i32.and
      local.set 3
      i32.const 0
      local.set 4
      block  ;; label = @2
        block  ;; label = @3
          local.get 2
          i32.const 4
          i32.lt_u
          br_if 0 (;@3;)
          local.get 2
          i32.const -4
          i32.and
          local.set 5
          i32.const 0
          local.set 4
          local.get 0
          local.set 6
          loop  ;; label = @4
            local.get 1
            local.get 4
            i32.add
            local.tee 7
            local.get 6
            i32.load8_u
            i32.store8
            local.get 7
            i32.const 1
            i32.add
            local.get 6
            i32.const 3
            i32.add
            i32.load8_u
            i32.store8
            local.get 7
            i32.const 2
            i32.add
            local.get 6
            i32.const 6
            i32.add
            i32.load8_u
            i32.store8
            local.get 7
            i32.const 3
            i32.add
            local.get 6
            i32.const 9
            i32.add
            i32.load8_u
            i32.store8
            local.get 6
            i32.const 12
            i32.add
            local.set 6
            local.get 5
            local.get 4
            i32.const 4
            i32.add
            local.tee 4
            i32.ne
            br_if 0 (;@4;)
          end
          local.get 3
          i32.eqz
          br_if 1 (;@2;)
        end
        local.get 1
        local.get 4
        i32.add
        local.set 6
        local.get 0
        local.get 4
        i32.const 3
        i32.mul
        i32.add
        local.set 7
        loop  ;; label = @3
          local.get 6
          local.get 7
          i32.load8_u
          i32.store8
          local.get 7
          i32.const 3
          i32.add
          local.set 7
          local.get 6
          i32.const 1
          i32.add
          local.set 6
          local.get 3
          i32.const -1
          i32.add
          local.tee 3
          br_if 0 (;@3;)
        end
      end
      local.get 2
      i32.const 3
      i32.and
      local.set 3
      i32.const 0
      local.set 4
      block  ;; label = @2
        block  ;; label = @3
          local.get 2
          i32.const 4
          i32.lt_u
          br_if 0 (;@3;)
          local.get 1
          local.get 2
          i32.add
          local.set 5
          local.get 0
          i32.const 10
          i32.add
          local.set 6
          local.get 2
          i32.const -4
          i32.and
          local.set 8
          i32.const 0
          local.set 4
          loop  ;; label = @4
            local.get 5
            local.get 4
            i32.add
            local.tee 7
            local.get 6
            i32.const -9
            i32.add
            i32.load8_u
            i32.store8
            local.get 7
            i32.const 1
            i32.add
            local.get 6
            i32.const -6
            i32.add
            i32.load8_u
            i32.store8
            local.get 7
            i32.const 2
            i32.add
            local.get 6
            i32.const -3
            i32.add
            i32.load8_u
            i32.store8
            local.get 7
            i32.const 3
            i32.add
            local.get 6
            i32.load8_u
            i32.store8
            local.get 6
            i32.const 12
            i32.add
            local.set 6
            local.get 8
            local.get 4
            i32.const 4
            i32.add
            local.tee 4
            i32.ne
            br_if 0 (;@4;)
          end
          local.get 3
          i32.eqz
          br_if 1 (;@2;)
        end
        local.get 1
        local.get 4
        local.get 2
        i32.add
        i32.add
        local.set 6
        local.get 4
        i32.const 3
        i32.mul
        local.get 0
        i32.add
        i32.const 1
        i32.add
        local.set 7
        loop  ;; label = @3
          local.get 6
          local.get 7
          i32.load8_u
          i32.store8
          local.get 7
          i32.const 3
          i32.add
          local.set 7
          local.get 6
          i32.const 1
          i32.add
          local.set 6
          local.get 3
          i32.const -1
          i32.add
          local.tee 3
          br_if 0 (;@3;)
        end
      end
      local.get 2
      i32.const 3
      i32.and
      local.set 3
      local.get 2
      i32.const 1
      i32.shl
      local.set 9
      i32.const 0
      local.set 4
      block  ;; label = @2
        local.get 2
        i32.const 4
        i32.lt_u
        br_if 0 (;@2;)
        local.get 1
        local.get 9
        i32.add
        local.set 5
        local.get 0
        i32.const 11
        i32.add
        local.set 6
        local.get 2
        i32.const -4
        i32.and
        local.set 8
        i32.const 0
        local.set 4
        loop  ;; label = @3
          local.get 5
          local.get 4
          i32.add
          local.tee 7
          local.get 6
          i32.const -9
          i32.add
          i32.load8_u
          i32.store8
          local.get 7
          i32.const 1
          i32.add
          local.get 6
          i32.const -6
          i32.add
          i32.load8_u
          i32.store8
          local.get 7
          i32.const 2
          i32.add
          local.get 6
          i32.const -3
          i32.add
          i32.load8_u
          i32.store8
          local.get 7
          i32.const 3
          i32.add
          local.get 6
          i32.load8_u
          i32.store8
          local.get 6
          i32.const 12
          i32.add
          local.set 6
          local.get 8
          local.get 4
          i32.const 4
          i32.add
          local.tee 4
          i32.ne
          br_if 0 (;@3;)
        end
        local.get 3
        i32.eqz
        br_if 1 (;@1;)
      end
      local.get 1
      local.get 4
      local.get 9
      i32.add
      i32.add
      local.set 6
      local.get 4
      i32.const 3
      i32.mul
      local.get 0
      i32.add
      i32.const 2
      i32.add
      local.set 7
      loop  ;; label = @2
        local.get 6
        local.get 7
        i32.load8_u
        i32.store8
        local.get 7
        i32.const 3
        i32.add
        local.set 7
        local.get 6
        i32.const 1
        i32.add
        local.set 6
        local.get 3
        i32.const -1
        i32.add
        local.tee 3
        br_if 0 (;@2;)
      end
    end
  )
  (func (;3;) (type 0) (param i32 i32 i32)
    (local i32 i32 i32 i32 i32 i32 i32 i32 i32)
    block  ;; label = @1
      local.get 2
      i32.eqz
      br_if 0 (;@1;)
      local.get 2
      i32.const 3
      i32.shl
      local.set 3
      i32.const 0
      local.set 4
      block  ;; label = @2
        local.get 2
        i32.const 1
        i32.eq
        br_if 0 (;@2;)
        local.get 2
        i32.const 1
        i32.and
        local.set 5
        local.get 2
        i32.const 2
        i32.shl
        local.set 6
        local.get 2
        i32.const -2
        i32.and
        local.set 7
        i32.const 0
        local.set 4
        local.get 1
        local.set 8
        local.get 0
        local.set 9
        loop  ;; label = @3
          local.get 8
          local.get 9
          f32.load
          f32.store
          local.get 8
          i32.const 4
          i32.add
          local.get 9
          local.get 6
          i32.add
          local.tee 10
          f32.load
          f32.store
          local.get 8
          i32.const 8
          i32.add
          local.get 9
          local.get 3
          i32.add
          local.tee 11
          f32.load
          f32.store
          local.get 8
          i32.const 12
          i32.add
          local.get 9
          i32.const 4
          i32.add
          f32.load
          f32.store
          local.get 8
          i32.const 16
          i32.add
          local.get 10
          i32.const 4
          i32.add
          f32.load
          f32.store
          local.get 8
          i32.const 20
          i32.add
          local.get 11
          i32.const 4
          i32.add
          f32.load
          f32.store
          local.get 8
          i32.const 24
          i32.add
          local.set 8
          local.get 9
          i32.const 8
          i32.add
          local.set 9
          local.get 7
          local.get 4
          i32.const 2
          i32.add
          local.tee 4
          i32.ne
          br_if 0 (;@3;)
        end
        local.get 5
        i32.eqz
        br_if 1 (;@1;)
      end
      local.get 1
      local.get 4
      i32.const 12
      i32.mul
      i32.add
      local.tee 8
      local.get 0
      local.get 4
      i32.const 2
      i32.shl
      i32.add
      local.tee 9
      f32.load
      f32.store
      local.get 8
      i32.const 4
      i32.add
      local.get 9
      local.get 2
      i32.const 2
      i32.shl
      i32.add
      f32.load
      f32.store
      local.get 8
      i32.const 8
      i32.add
      local.get 9
      local.get 3
      i32.add
      f32.load
      f32.store
    end
  )
  (func (;4;) (type 1) (param i32 i32 i32 i32 i32)
    (local i32 i32 i32 i32)
    block  ;; label = @1
      local.get 4
      i32.eqz
      br_if 0 (;@1;)
      loop  ;; label = @2
        local.get 2
        i32.load8_u
        local.set 5
        local.get 3
        i32.const 2
        i32.add
        local.get 0
        i32.load8_u
        i32.const 16
        i32.shl
        i32.const 32768
        i32.or
        local.tee 6
        local.get 1
        i32.load8_u
        i32.const -128
        i32.add
        local.tee 7
        i32.const 116130
        i32.mul
        i32.add
        i32.const 16
        i32.shr_s
        local.tee 8
        i32.const 0
        local.get 8
        i32.const 0
        i32.gt_s
        select
        local.tee 8
        i32.const 255
        local.get 8
        i32.const 255
        i32.lt_s
        select
        i32.store8
        local.get 3
        local.get 6
        local.get 5
        i32.const -128
        i32.add
        local.tee 5
        i32.const 91881
        i32.mul
        i32.add
        i32.const 16
        i32.shr_s
        local.tee 8
        i32.const 0
        local.get 8
        i32.const 0
        i32.gt_s
        select
        local.tee 8
        i32.const 255
        local.get 8
        i32.const 255
        i32.lt_s
        select
        i32.store8
        local.get 3
        i32.const 1
        i32.add
        local.get 6
        local.get 7
        i32.const -22554
        i32.mul
        i32.add
        local.get 5
        i32.const -46802
        i32.mul
        i32.add
        i32.const 16
        i32.shr_s
        local.tee 6
        i32.const 0
        local.get 6
        i32.const 0
        i32.gt_s
        select
        local.tee 6
        i32.const 255
        local.get 6
        i32.const 255
        i32.lt_s
        select
        i32.store8
        local.get 0
        i32.const 1
        i32.add
        local.set 0
        local.get 1
        i32.const 1
        i32.add
        local.set 1
        local.get 2
        i32.const 1
        i32.add
        local.set 2
        local.get 3
        i32.const 3
        i32.add
        local.set 3
        local.get 4
        i32.const -1
        i32.add
        local.tee 4
        br_if 0 (;@2;)
      end
    end
  )
  (func (;5;) (type 0) (param i32 i32 i32)
    (local f32 f32 f32 f32 i32 i32 f32)
    block  ;; label = @1
      local.get 2
      i32.eqz
      br_if 0 (;@1;)
      loop  ;; label = @2
        block  ;; label = @3
          block  ;; label = @4
            f32.const 255
            local.get 0
            i32.const 1
            i32.add
            i32.load8_u
            f32.convert_i32_u
            f32.const -128
            f32.add
            local.tee 3
            f32.const 1.772
            f32.mul
            local.get 0
            i32.load8_u
            f32.convert_i32_u
            local.tee 4
            f32.add
            local.tee 5
            local.get 5
            f32.const 255
            f32.ge
            select
            local.tee 6
            f32.const 4.2949673e+09
            f32.lt
            local.get 6
            f32.const 0
            f32.ge
            i32.and
            i32.eqz
            br_if 0 (;@4;)
            local.get 6
            i32.trunc_f32_u
            local.set 7
            br 1 (;@3;)
          end
          i32.const 0
          local.set 7
        end
        local.get 0
        i32.const 2
        i32.add
        i32.load8_u
        local.set 8
        local.get 1
        i32.const 2
        i32.add
        i32.const 0
        local.get 7
        local.get 5
        f32.const 0
        f32.lt
        select
        i32.store8
        block  ;; label = @3
          block  ;; label = @4
            f32.const 255
            local.get 8
            f32.convert_i32_u
            f32.const -128
            f32.add
            local.tee 9
            f32.const 1.402
            f32.mul
            local.get 4
            f32.add
            local.tee 5
            local.get 5
            f32.const 255
            f32.ge
            select
            local.tee 6
            f32.const 4.2949673e+09
            f32.lt
            local.get 6
            f32.const 0
            f32.ge
            i32.and
            i32.eqz
            br_if 0 (;@4;)
            local.get 6
            i32.trunc_f32_u
            local.set 7
            br 1 (;@3;)
          end
          i32.const 0
          local.set 7
        end
        local.get 1
        i32.const 0
        local.get 7
        local.get 5
        f32.const 0
        f32.lt
        select
        i32.store8
        block  ;; label = @3
          block  ;; label = @4
            f32.const 255
            local.get 9
            f32.const -0.714136
            f32.mul
            local.get 3
            f32.const -0.344136
            f32.mul
            local.get 4
            f32.add
            f32.add
            local.tee 4
            local.get 4
            f32.const 255
            f32.ge
            select
            local.tee 5
            f32.const 4.2949673e+09
            f32.lt
            local.get 5
            f32.const 0
            f32.ge
            i32.and
            i32.eqz
            br_if 0 (;@4;)
            local.get 5
            i32.trunc_f32_u
            local.set 7
            br 1 (;@3;)
          end
          i32.const 0
          local.set 7
        end
        local.get 1
        i32.const 1
        i32.add
        i32.const 0
        local.get 7
        local.get 4
        f32.const 0
        f32.lt
        select
        i32.store8
        local.get 0
        i32.const 3
        i32.add
        local.set 0
        local.get 1
        i32.const 3
        i32.add
        local.set 1
        local.get 2
        i32.const -1
        i32.add
        local.tee 2
        br_if 0 (;@2;)
      end
    end
  )
  (func (;6;) (type 2) (param i32 i32) (result i32)
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
      local.tee 3
      i32.const 3
      i32.and
      local.set 4
      i32.const 0
      local.set 2
      i32.const 1
      local.set 5
      block  ;; label = @2
        local.get 1
        i32.const -2
        i32.add
        i32.const 3
        i32.lt_u
        br_if 0 (;@2;)
        local.get 0
        i32.const 16
        i32.add
        local.set 1
        local.get 3
        i32.const -4
        i32.and
        local.set 6
        i32.const 0
        local.set 2
        i32.const 1
        local.set 5
        loop  ;; label = @3
          local.get 5
          i32.const 3
          i32.add
          local.tee 3
          local.get 5
          i32.const 2
          i32.add
          local.get 5
          i32.const 1
          i32.add
          local.get 5
          local.get 2
          local.get 1
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
          local.get 1
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
          local.get 1
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
          local.get 1
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
          local.get 5
          i32.const 4
          i32.add
          local.set 5
          local.get 1
          i32.const 16
          i32.add
          local.set 1
          local.get 3
          local.get 6
          i32.ne
          br_if 0 (;@3;)
        end
        local.get 4
        i32.eqz
        br_if 1 (;@1;)
      end
      local.get 0
      local.get 5
      i32.const 2
      i32.shl
      i32.add
      local.set 1
      loop  ;; label = @2
        local.get 5
        local.get 2
        local.get 1
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
        local.get 5
        i32.const 1
        i32.add
        local.set 5
        local.get 4
        i32.const -1
        i32.add
        local.tee 4
        br_if 0 (;@2;)
      end
    end
    local.get 2
  )
  (func (;7;) (type 2) (param i32 i32) (result i32)
    (local i32 i32 i32 f32 i32 i32 f32 f32 f32 f32 i32 i32 i32 i32)
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
      local.tee 3
      i32.const 3
      i32.and
      local.set 4
      local.get 0
      f32.load
      local.set 5
      i32.const 0
      local.set 2
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
        local.set 6
        local.get 3
        i32.const -4
        i32.and
        local.set 7
        i32.const 0
        local.set 2
        i32.const 1
        local.set 1
        loop  ;; label = @3
          local.get 6
          f32.load
          local.tee 8
          local.get 6
          i32.const -4
          i32.add
          f32.load
          local.tee 9
          local.get 6
          i32.const -8
          i32.add
          f32.load
          local.tee 10
          local.get 6
          i32.const -12
          i32.add
          f32.load
          local.tee 11
          local.get 5
          local.get 11
          local.get 5
          f32.gt
          local.tee 3
          select
          local.tee 5
          local.get 10
          local.get 5
          f32.gt
          local.tee 12
          select
          local.tee 5
          local.get 9
          local.get 5
          f32.gt
          local.tee 13
          select
          local.tee 5
          local.get 8
          local.get 5
          f32.gt
          local.tee 14
          select
          local.set 5
          local.get 1
          i32.const 3
          i32.add
          local.tee 15
          local.get 1
          i32.const 2
          i32.add
          local.get 1
          i32.const 1
          i32.add
          local.get 1
          local.get 2
          local.get 3
          select
          local.get 12
          select
          local.get 13
          select
          local.get 14
          select
          local.set 2
          local.get 1
          i32.const 4
          i32.add
          local.set 1
          local.get 6
          i32.const 16
          i32.add
          local.set 6
          local.get 15
          local.get 7
          i32.ne
          br_if 0 (;@3;)
        end
        local.get 4
        i32.eqz
        br_if 1 (;@1;)
      end
      local.get 0
      local.get 1
      i32.const 2
      i32.shl
      i32.add
      local.set 6
      loop  ;; label = @2
        local.get 1
        local.get 2
        local.get 6
        f32.load
        local.tee 8
        local.get 5
        f32.gt
        local.tee 3
        select
        local.set 2
        local.get 8
        local.get 5
        local.get 3
        select
        local.set 5
        local.get 6
        i32.const 4
        i32.add
        local.set 6
        local.get 1
        i32.const 1
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
  (func (;8;) (type 2) (param i32 i32) (result i32)
    (local i32 i32 i32 i32)
    block  ;; label = @1
      local.get 1
      br_if 0 (;@1;)
      i32.const 0
      return
    end
    local.get 1
    i32.const 3
    i32.and
    local.set 2
    i32.const 0
    local.set 3
    i32.const 0
    local.set 4
    block  ;; label = @1
      block  ;; label = @2
        local.get 1
        i32.const 4
        i32.lt_u
        br_if 0 (;@2;)
        local.get 1
        i32.const -4
        i32.and
        local.set 5
        i32.const 0
        local.set 3
        i32.const 0
        local.set 4
        loop  ;; label = @3
          local.get 4
          local.get 0
          local.get 3
          i32.add
          local.tee 1
          i32.load8_u
          i32.add
          local.get 1
          i32.const 1
          i32.add
          i32.load8_u
          i32.add
          local.get 1
          i32.const 2
          i32.add
          i32.load8_u
          i32.add
          local.get 1
          i32.const 3
          i32.add
          i32.load8_u
          i32.add
          local.set 4
          local.get 5
          local.get 3
          i32.const 4
          i32.add
          local.tee 3
          i32.ne
          br_if 0 (;@3;)
        end
        local.get 2
        i32.eqz
        br_if 1 (;@1;)
      end
      local.get 0
      local.get 3
      i32.add
      local.set 1
      loop  ;; label = @2
        local.get 4
        local.get 1
        i32.load8_u
        i32.add
        local.set 4
        local.get 1
        i32.const 1
        i32.add
        local.set 1
        local.get 2
        i32.const -1
        i32.add
        local.tee 2
        br_if 0 (;@2;)
      end
    end
    local.get 4
  )
  (func (;9;) (type 3) (param i32 i32) (result f32)
    (local i32 f32 i32 i32)
    block  ;; label = @1
      local.get 1
      br_if 0 (;@1;)
      f32.const 0
      return
    end
    local.get 1
    i32.const 3
    i32.and
    local.set 2
    block  ;; label = @1
      block  ;; label = @2
        block  ;; label = @3
          local.get 1
          i32.const 4
          i32.ge_u
          br_if 0 (;@3;)
          f32.const 0
          local.set 3
          i32.const 0
          local.set 4
          br 1 (;@2;)
        end
        local.get 1
        i32.const -4
        i32.and
        local.set 5
        f32.const 0
        local.set 3
        i32.const 0
        local.set 4
        local.get 0
        local.set 1
        loop  ;; label = @3
          local.get 3
          local.get 1
          f32.load
          f32.add
          local.get 1
          i32.const 4
          i32.add
          f32.load
          f32.add
          local.get 1
          i32.const 8
          i32.add
          f32.load
          f32.add
          local.get 1
          i32.const 12
          i32.add
          f32.load
          f32.add
          local.set 3
          local.get 1
          i32.const 16
          i32.add
          local.set 1
          local.get 5
          local.get 4
          i32.const 4
          i32.add
          local.tee 4
          i32.ne
          br_if 0 (;@3;)
        end
        local.get 2
        i32.eqz
        br_if 1 (;@1;)
      end
      local.get 0
      local.get 4
      i32.const 2
      i32.shl
      i32.add
      local.set 1
      loop  ;; label = @2
        local.get 3
        local.get 1
        f32.load
        f32.add
        local.set 3
        local.get 1
        i32.const 4
        i32.add
        local.set 1
        local.get 2
        i32.const -1
        i32.add
        local.tee 2
        br_if 0 (;@2;)
      end
    end
    local.get 3
  )
  (func (;10;) (type 4) (param i32 i32 i32) (result f32)
    (local i32 f32 i32 i32 i32 i32)
    block  ;; label = @1
      local.get 2
      br_if 0 (;@1;)
      f32.const 0
      return
    end
    local.get 2
    i32.const 3
    i32.and
    local.set 3
    block  ;; label = @1
      block  ;; label = @2
        block  ;; label = @3
          local.get 2
          i32.const 4
          i32.ge_u
          br_if 0 (;@3;)
          f32.const 0
          local.set 4
          i32.const 0
          local.set 5
          br 1 (;@2;)
        end
        local.get 2
        i32.const -4
        i32.and
        local.set 6
        f32.const 0
        local.set 4
        i32.const 0
        local.set 2
        i32.const 0
        local.set 5
        loop  ;; label = @3
          local.get 0
          local.get 2
          i32.add
          local.tee 7
          i32.const 12
          i32.add
          f32.load
          local.get 1
          local.get 2
          i32.add
          local.tee 8
          i32.const 12
          i32.add
          f32.load
          f32.mul
          local.get 7
          i32.const 8
          i32.add
          f32.load
          local.get 8
          i32.const 8
          i32.add
          f32.load
          f32.mul
          local.get 7
          i32.const 4
          i32.add
          f32.load
          local.get 8
          i32.const 4
          i32.add
          f32.load
          f32.mul
          local.get 7
          f32.load
          local.get 8
          f32.load
          f32.mul
          local.get 4
          f32.add
          f32.add
          f32.add
          f32.add
          local.set 4
          local.get 2
          i32.const 16
          i32.add
          local.set 2
          local.get 6
          local.get 5
          i32.const 4
          i32.add
          local.tee 5
          i32.ne
          br_if 0 (;@3;)
        end
        local.get 3
        i32.eqz
        br_if 1 (;@1;)
      end
      local.get 0
      local.get 5
      i32.const 2
      i32.shl
      local.tee 7
      i32.add
      local.set 2
      local.get 1
      local.get 7
      i32.add
      local.set 7
      loop  ;; label = @2
        local.get 2
        f32.load
        local.get 7
        f32.load
        f32.mul
        local.get 4
        f32.add
        local.set 4
        local.get 2
        i32.const 4
        i32.add
        local.set 2
        local.get 7
        i32.const 4
        i32.add
        local.set 7
        local.get 3
        i32.const -1
        i32.add
        local.tee 3
        br_if 0 (;@2;)
      end
    end
    local.get 4
  )
  (func (;11;) (type 5) (param i32 i32 i32 i32)
    (local i32 i32 i32 i32)
    block  ;; label = @1
      local.get 2
      i32.eqz
      br_if 0 (;@1;)
      local.get 2
      i32.const 3
      i32.and
      local.set 4
      i32.const 0
      local.set 5
      block  ;; label = @2
        local.get 2
        i32.const 4
        i32.lt_u
        br_if 0 (;@2;)
        local.get 2
        i32.const -4
        i32.and
        local.set 6
        i32.const 0
        local.set 5
        loop  ;; label = @3
          local.get 1
          local.get 5
          i32.add
          local.tee 2
          i32.const -1
          i32.const 0
          local.get 3
          local.get 0
          local.get 5
          i32.add
          local.tee 7
          i32.load8_u
          i32.lt_s
          select
          i32.store8
          local.get 2
          i32.const 1
          i32.add
          i32.const -1
          i32.const 0
          local.get 3
          local.get 7
          i32.const 1
          i32.add
          i32.load8_u
          i32.lt_s
          select
          i32.store8
          local.get 2
          i32.const 2
          i32.add
          i32.const -1
          i32.const 0
          local.get 3
          local.get 7
          i32.const 2
          i32.add
          i32.load8_u
          i32.lt_s
          select
          i32.store8
          local.get 2
          i32.const 3
          i32.add
          i32.const -1
          i32.const 0
          local.get 3
          local.get 7
          i32.const 3
          i32.add
          i32.load8_u
          i32.lt_s
          select
          i32.store8
          local.get 6
          local.get 5
          i32.const 4
          i32.add
          local.tee 5
          i32.ne
          br_if 0 (;@3;)
        end
        local.get 4
        i32.eqz
        br_if 1 (;@1;)
      end
      local.get 0
      local.get 5
      i32.add
      local.set 2
      local.get 1
      local.get 5
      i32.add
      local.set 5
      loop  ;; label = @2
        local.get 5
        i32.const -1
        i32.const 0
        local.get 3
        local.get 2
        i32.load8_u
        i32.lt_s
        select
        i32.store8
        local.get 2
        i32.const 1
        i32.add
        local.set 2
        local.get 5
        i32.const 1
        i32.add
        local.set 5
        local.get 4
        i32.const -1
        i32.add
        local.tee 4
        br_if 0 (;@2;)
      end
    end
  )
  (func (;12;) (type 1) (param i32 i32 i32 i32 i32)
    (local i32)
    block  ;; label = @1
      local.get 3
      i32.eqz
      br_if 0 (;@1;)
      i32.const 255
      local.get 4
      i32.sub
      local.set 5
      loop  ;; label = @2
        local.get 2
        local.get 4
        local.get 0
        i32.load8_u
        i32.mul
        local.get 5
        local.get 1
        i32.load8_u
        i32.mul
        i32.add
        i32.const 127
        i32.add
        i32.const 255
        i32.div_s
        i32.store8
        local.get 0
        i32.const 1
        i32.add
        local.set 0
        local.get 1
        i32.const 1
        i32.add
        local.set 1
        local.get 2
        i32.const 1
        i32.add
        local.set 2
        local.get 3
        i32.const -1
        i32.add
        local.tee 3
        br_if 0 (;@2;)
      end
    end
  )
  (func (;13;) (type 6) (param i32 i32 i32 f32 i32)
    (local f32 i32)
    block  ;; label = @1
      local.get 2
      i32.eqz
      br_if 0 (;@1;)
      loop  ;; label = @2
        block  ;; label = @3
          block  ;; label = @4
            local.get 0
            f32.load
            local.get 3
            f32.div
            local.tee 5
            f32.abs
            f32.const 2.1474836e+09
            f32.lt
            i32.eqz
            br_if 0 (;@4;)
            local.get 5
            i32.trunc_f32_s
            local.set 6
            br 1 (;@3;)
          end
          i32.const -2147483648
          local.set 6
        end
        local.get 1
        local.get 4
        local.get 6
        i32.add
        local.tee 6
        i32.const 0
        local.get 6
        i32.const 0
        i32.gt_s
        select
        local.tee 6
        i32.const 255
        local.get 6
        i32.const 255
        i32.lt_s
        select
        i32.store8
        local.get 0
        i32.const 4
        i32.add
        local.set 0
        local.get 1
        i32.const 1
        i32.add
        local.set 1
        local.get 2
        i32.const -1
        i32.add
        local.tee 2
        br_if 0 (;@2;)
      end
    end
  )
  (func (;14;) (type 6) (param i32 i32 i32 f32 i32)
    (local i32 i32 i32 i32)
    block  ;; label = @1
      local.get 2
      i32.eqz
      br_if 0 (;@1;)
      i32.const 0
      local.set 5
      block  ;; label = @2
        local.get 2
        i32.const 1
        i32.eq
        br_if 0 (;@2;)
        local.get 2
        i32.const 1
        i32.and
        local.set 6
        local.get 2
        i32.const -2
        i32.and
        local.set 7
        i32.const 0
        local.set 5
        local.get 1
        local.set 2
        loop  ;; label = @3
          local.get 2
          local.get 3
          local.get 0
          local.get 5
          i32.add
          local.tee 8
          i32.load8_u
          local.get 4
          i32.sub
          f32.convert_i32_s
          f32.mul
          f32.store
          local.get 2
          i32.const 4
          i32.add
          local.get 3
          local.get 8
          i32.const 1
          i32.add
          i32.load8_u
          local.get 4
          i32.sub
          f32.convert_i32_s
          f32.mul
          f32.store
          local.get 2
          i32.const 8
          i32.add
          local.set 2
          local.get 7
          local.get 5
          i32.const 2
          i32.add
          local.tee 5
          i32.ne
          br_if 0 (;@3;)
        end
        local.get 6
        i32.eqz
        br_if 1 (;@1;)
      end
      local.get 1
      local.get 5
      i32.const 2
      i32.shl
      i32.add
      local.get 3
      local.get 0
      local.get 5
      i32.add
      i32.load8_u
      local.get 4
      i32.sub
      f32.convert_i32_s
      f32.mul
      f32.store
    end
  )
  (func (;15;) (type 5) (param i32 i32 i32 i32)
    (local i32 i32 i32 i32)
    block  ;; label = @1
      local.get 3
      i32.eqz
      br_if 0 (;@1;)
      local.get 3
      i32.const 3
      i32.and
      local.set 4
      i32.const 0
      local.set 5
      block  ;; label = @2
        local.get 3
        i32.const 4
        i32.lt_u
        br_if 0 (;@2;)
        local.get 3
        i32.const -4
        i32.and
        local.set 6
        i32.const 0
        local.set 5
        loop  ;; label = @3
          local.get 1
          local.get 5
          i32.add
          local.tee 3
          local.get 2
          local.get 0
          local.get 5
          i32.add
          local.tee 7
          i32.load8_u
          i32.add
          i32.load8_u
          i32.store8
          local.get 3
          i32.const 1
          i32.add
          local.get 2
          local.get 7
          i32.const 1
          i32.add
          i32.load8_u
          i32.add
          i32.load8_u
          i32.store8
          local.get 3
          i32.const 2
          i32.add
          local.get 2
          local.get 7
          i32.const 2
          i32.add
          i32.load8_u
          i32.add
          i32.load8_u
          i32.store8
          local.get 3
          i32.const 3
          i32.add
          local.get 2
          local.get 7
          i32.const 3
          i32.add
          i32.load8_u
          i32.add
          i32.load8_u
          i32.store8
          local.get 6
          local.get 5
          i32.const 4
          i32.add
          local.tee 5
          i32.ne
          br_if 0 (;@3;)
        end
        local.get 4
        i32.eqz
        br_if 1 (;@1;)
      end
      local.get 0
      local.get 5
      i32.add
      local.set 3
      local.get 1
      local.get 5
      i32.add
      local.set 5
      loop  ;; label = @2
        local.get 5
        local.get 2
        local.get 3
        i32.load8_u
        i32.add
        i32.load8_u
        i32.store8
        local.get 3
        i32.const 1
        i32.add
        local.set 3
        local.get 5
        i32.const 1
        i32.add
        local.set 5
        local.get 4
        i32.const -1
        i32.add
        local.tee 4
        br_if 0 (;@2;)
      end
    end
  )
  (func (;16;) (type 0) (param i32 i32 i32)
    (local i32 i32 i32 i32)
    block  ;; label = @1
      local.get 2
      i32.eqz
      br_if 0 (;@1;)
      i32.const 0
      local.set 3
      block  ;; label = @2
        local.get 2
        i32.const 1
        i32.eq
        br_if 0 (;@2;)
        local.get 2
        i32.const 1
        i32.and
        local.set 4
        local.get 2
        i32.const -2
        i32.and
        local.set 5
        i32.const 0
        local.set 3
        local.get 0
        local.set 2
        loop  ;; label = @3
          local.get 1
          local.get 3
          i32.add
          local.tee 6
          local.get 2
          i32.const 1
          i32.add
          i32.load8_u
          i32.const 150
          i32.mul
          local.get 2
          i32.load8_u
          i32.const 77
          i32.mul
          i32.add
          local.get 2
          i32.const 2
          i32.add
          i32.load8_u
          i32.const 29
          i32.mul
          i32.add
          i32.const 8
          i32.shr_u
          i32.store8
          local.get 6
          i32.const 1
          i32.add
          local.get 2
          i32.const 4
          i32.add
          i32.load8_u
          i32.const 150
          i32.mul
          local.get 2
          i32.const 3
          i32.add
          i32.load8_u
          i32.const 77
          i32.mul
          i32.add
          local.get 2
          i32.const 5
          i32.add
          i32.load8_u
          i32.const 29
          i32.mul
          i32.add
          i32.const 8
          i32.shr_u
          i32.store8
          local.get 2
          i32.const 6
          i32.add
          local.set 2
          local.get 5
          local.get 3
          i32.const 2
          i32.add
          local.tee 3
          i32.ne
          br_if 0 (;@3;)
        end
        local.get 4
        i32.eqz
        br_if 1 (;@1;)
      end
      local.get 1
      local.get 3
      i32.add
      local.get 0
      local.get 3
      i32.const 3
      i32.mul
      i32.add
      local.tee 2
      i32.const 1
      i32.add
      i32.load8_u
      i32.const 150
      i32.mul
      local.get 2
      i32.load8_u
      i32.const 77
      i32.mul
      i32.add
      local.get 2
      i32.const 2
      i32.add
      i32.load8_u
      i32.const 29
      i32.mul
      i32.add
      i32.const 8
      i32.shr_u
      i32.store8
    end
  )
  (func (;17;) (type 2) (param i32 i32) (result i32)
    (local i32 i32 i32 i32 i32 i32 i32 i32)
    local.get 0
    i32.load
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
      i32.const 1
      local.set 5
      block  ;; label = @2
        local.get 1
        i32.const -2
        i32.add
        i32.const 3
        i32.lt_u
        br_if 0 (;@2;)
        local.get 0
        i32.const 16
        i32.add
        local.set 1
        local.get 3
        i32.const -4
        i32.and
        local.set 6
        i32.const 0
        local.set 5
        loop  ;; label = @3
          local.get 1
          i32.load
          local.tee 3
          local.get 1
          i32.const -4
          i32.add
          i32.load
          local.tee 7
          local.get 1
          i32.const -8
          i32.add
          i32.load
          local.tee 8
          local.get 1
          i32.const -12
          i32.add
          i32.load
          local.tee 9
          local.get 2
          local.get 9
          local.get 2
          i32.gt_s
          select
          local.tee 2
          local.get 8
          local.get 2
          i32.gt_s
          select
          local.tee 2
          local.get 7
          local.get 2
          i32.gt_s
          select
          local.tee 2
          local.get 3
          local.get 2
          i32.gt_s
          select
          local.set 2
          local.get 1
          i32.const 16
          i32.add
          local.set 1
          local.get 6
          local.get 5
          i32.const 4
          i32.add
          local.tee 5
          i32.ne
          br_if 0 (;@3;)
        end
        local.get 4
        i32.eqz
        br_if 1 (;@1;)
        local.get 5
        i32.const 1
        i32.add
        local.set 5
      end
      local.get 0
      local.get 5
      i32.const 2
      i32.shl
      i32.add
      local.set 1
      loop  ;; label = @2
        local.get 1
        i32.load
        local.tee 5
        local.get 2
        local.get 5
        local.get 2
        i32.gt_s
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
  (func (;18;) (type 2) (param i32 i32) (result i32)
    (local i32 i32 i32 i32)
    block  ;; label = @1
      local.get 1
      br_if 0 (;@1;)
      i32.const 0
      return
    end
    local.get 1
    i32.const 3
    i32.and
    local.set 2
    i32.const 0
    local.set 3
    i32.const 0
    local.set 4
    block  ;; label = @1
      block  ;; label = @2
        local.get 1
        i32.const 4
        i32.lt_u
        br_if 0 (;@2;)
        local.get 1
        i32.const -4
        i32.and
        local.set 5
        i32.const 0
        local.set 3
        local.get 0
        local.set 1
        i32.const 0
        local.set 4
        loop  ;; label = @3
          local.get 1
          i32.const 12
          i32.add
          i32.load
          local.get 1
          i32.const 8
          i32.add
          i32.load
          local.get 1
          i32.const 4
          i32.add
          i32.load
          local.get 1
          i32.load
          local.get 4
          i32.xor
          i32.xor
          i32.xor
          i32.xor
          local.set 4
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
        local.get 2
        i32.eqz
        br_if 1 (;@1;)
      end
      local.get 0
      local.get 3
      i32.const 2
      i32.shl
      i32.add
      local.set 1
      loop  ;; label = @2
        local.get 1
        i32.load
        local.get 4
        i32.xor
        local.set 4
        local.get 1
        i32.const 4
        i32.add
        local.set 1
        local.get 2
        i32.const -1
        i32.add
        local.tee 2
        br_if 0 (;@2;)
      end
    end
    local.get 4
  )
  (table (;0;) 1 1 funcref)
  (memory (;0;) 256)
  (global (;0;) (mut i32) (i32.const 16777216))
  (export "memory" (memory 0))
  (export "normalise" (func 0))
  (export "normalise3" (func 1))
  (export "chw" (func 2))
  (export "hwc" (func 3))
  (export "ycc" (func 4))
  (export "yccf" (func 5))
  (export "argmax" (func 6))
  (export "argmax2" (func 7))
  (export "sumb" (func 8))
  (export "sumf" (func 9))
  (export "dot" (func 10))
  (export "threshold" (func 11))
  (export "blend" (func 12))
  (export "quantise" (func 13))
  (export "dequant" (func 14))
  (export "lut" (func 15))
  (export "grey" (func 16))
  (export "maxi" (func 17))
  (export "xorr" (func 18))
)
