(module
  (type (;0;) (func (param i32 i32 i32)))
  (type (;1;) (func (param i32 i32 i32 i32 i32)))
  (type (;2;) (func (param i32 i32 i32 i32)))
  (type (;3;) (func (param i32 i32) (result i32)))
  (type (;4;) (func (param i32 i32 i32 f32 i32)))
  (type (;5;) (func (param i32 i32) (result f32)))
  (func (;0;) (type 1) (param i32 i32 i32 i32 i32)
    (local i32 i32 i32 i32 i32 i32)
    loop  ;; label = @1
      local.get 4
      local.get 5
      i32.gt_s
      if  ;; label = @2
        local.get 1
        local.get 5
        i32.add
        i32.load8_u
        i32.const 128
        i32.sub
        local.set 9
        local.get 3
        local.get 5
        i32.const 3
        i32.mul
        i32.add
        local.tee 6
        i32.const 255
        local.get 0
        local.get 5
        i32.add
        i32.load8_u
        i32.const 16
        i32.shl
        local.tee 7
        local.get 2
        local.get 5
        i32.add
        i32.load8_u
        i32.const 128
        i32.sub
        local.tee 10
        i32.const 91881
        i32.mul
        i32.add
        i32.const 32768
        i32.add
        i32.const 16
        i32.shr_s
        local.tee 8
        local.get 8
        i32.const 255
        i32.gt_s
        select
        i32.const 0
        local.get 8
        i32.const 0
        i32.ge_s
        select
        i32.store8
        local.get 6
        i32.const 255
        local.get 7
        local.get 9
        i32.const 22554
        i32.mul
        i32.sub
        local.get 10
        i32.const 46802
        i32.mul
        i32.sub
        i32.const 32768
        i32.add
        i32.const 16
        i32.shr_s
        local.tee 8
        local.get 8
        i32.const 255
        i32.gt_s
        select
        i32.const 0
        local.get 8
        i32.const 0
        i32.ge_s
        select
        i32.store8 offset=1
        local.get 6
        i32.const 255
        local.get 7
        local.get 9
        i32.const 116130
        i32.mul
        i32.add
        i32.const 32768
        i32.add
        i32.const 16
        i32.shr_s
        local.tee 6
        local.get 6
        i32.const 255
        i32.gt_s
        select
        i32.const 0
        local.get 6
        i32.const 0
        i32.ge_s
        select
        i32.store8 offset=2
        local.get 5
        i32.const 1
        i32.add
        local.set 5
        br 1 (;@1;)
      end
    end
  )
  (func (;1;) (type 2) (param i32 i32 i32 i32)
    (local i32)
    loop  ;; label = @1
      local.get 2
      local.get 4
      i32.gt_s
      if  ;; label = @2
        local.get 1
        local.get 4
        i32.add
        i32.const 255
        i32.const 0
        local.get 0
        local.get 4
        i32.add
        i32.load8_u
        local.get 3
        i32.const 255
        i32.and
        i32.gt_u
        select
        i32.store8
        local.get 4
        i32.const 1
        i32.add
        local.set 4
        br 1 (;@1;)
      end
    end
  )
  (func (;2;) (type 5) (param i32 i32) (result f32)
    (local i32 f32)
    loop  ;; label = @1
      local.get 1
      local.get 2
      i32.gt_s
      if  ;; label = @2
        local.get 3
        local.get 0
        local.get 2
        i32.const 2
        i32.shl
        i32.add
        f32.load
        f32.add
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
  (func (;3;) (type 3) (param i32 i32) (result i32)
    (local i32 i32)
    loop  ;; label = @1
      local.get 1
      local.get 2
      i32.gt_s
      if  ;; label = @2
        local.get 3
        local.get 0
        local.get 2
        i32.add
        i32.load8_u
        i32.add
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
  (func (;4;) (type 4) (param i32 i32 i32 f32 i32)
    (local i32 i32)
    loop  ;; label = @1
      local.get 2
      local.get 5
      i32.gt_s
      if  ;; label = @2
        local.get 1
        local.get 5
        i32.add
        i32.const 255
        local.get 0
        local.get 5
        i32.const 2
        i32.shl
        i32.add
        f32.load
        local.get 3
        f32.div
        i32.trunc_sat_f32_s
        local.get 4
        i32.add
        local.tee 6
        local.get 6
        i32.const 255
        i32.gt_s
        select
        i32.const 0
        local.get 6
        i32.const 0
        i32.ge_s
        select
        i32.store8
        local.get 5
        i32.const 1
        i32.add
        local.set 5
        br 1 (;@1;)
      end
    end
  )
  (func (;5;) (type 0) (param i32 i32 i32)
    (local i32)
    loop  ;; label = @1
      local.get 2
      local.get 3
      i32.gt_s
      if  ;; label = @2
        local.get 1
        local.get 3
        i32.const 2
        i32.shl
        i32.add
        local.get 0
        local.get 3
        i32.add
        i32.load8_u
        f32.convert_i32_u
        f32.const 255
        f32.div
        f32.const -0.485
        f32.add
        f32.const 0.229
        f32.div
        f32.store
        local.get 3
        i32.const 1
        i32.add
        local.set 3
        br 1 (;@1;)
      end
    end
  )
  (func (;6;) (type 2) (param i32 i32 i32 i32)
    (local i32)
    loop  ;; label = @1
      local.get 3
      local.get 4
      i32.gt_s
      if  ;; label = @2
        local.get 1
        local.get 4
        i32.add
        local.get 2
        local.get 0
        local.get 4
        i32.add
        i32.load8_u
        i32.add
        i32.load8_u
        i32.store8
        local.get 4
        i32.const 1
        i32.add
        local.set 4
        br 1 (;@1;)
      end
    end
  )
  (func (;7;) (type 0) (param i32 i32 i32)
    (local i32 i32)
    loop  ;; label = @1
      local.get 2
      local.get 4
      i32.gt_s
      if  ;; label = @2
        i32.const 0
        local.set 3
        loop  ;; label = @3
          local.get 3
          i32.const 3
          i32.lt_s
          if  ;; label = @4
            local.get 1
            local.get 4
            i32.const 3
            i32.mul
            local.get 3
            i32.add
            i32.const 2
            i32.shl
            i32.add
            local.get 0
            local.get 2
            local.get 3
            i32.mul
            local.get 4
            i32.add
            i32.const 2
            i32.shl
            i32.add
            f32.load
            f32.store
            local.get 3
            i32.const 1
            i32.add
            local.set 3
            br 1 (;@3;)
          end
        end
        local.get 4
        i32.const 1
        i32.add
        local.set 4
        br 1 (;@1;)
      end
    end
  )
  (func (;8;) (type 4) (param i32 i32 i32 f32 i32)
    (local i32)
    loop  ;; label = @1
      local.get 2
      local.get 5
      i32.gt_s
      if  ;; label = @2
        local.get 1
        local.get 5
        i32.const 2
        i32.shl
        i32.add
        local.get 0
        local.get 5
        i32.add
        i32.load8_u
        local.get 4
        i32.sub
        f32.convert_i32_s
        local.get 3
        f32.mul
        f32.store
        local.get 5
        i32.const 1
        i32.add
        local.set 5
        br 1 (;@1;)
      end
    end
  )
  (func (;9;) (type 0) (param i32 i32 i32)
    (local i32 i32)
    loop  ;; label = @1
      local.get 4
      i32.const 3
      i32.lt_s
      if  ;; label = @2
        i32.const 0
        local.set 3
        loop  ;; label = @3
          local.get 2
          local.get 3
          i32.gt_s
          if  ;; label = @4
            local.get 1
            local.get 2
            local.get 4
            i32.mul
            i32.add
            local.get 3
            i32.add
            local.get 0
            local.get 3
            i32.const 3
            i32.mul
            i32.add
            local.get 4
            i32.add
            i32.load8_u
            i32.store8
            local.get 3
            i32.const 1
            i32.add
            local.set 3
            br 1 (;@3;)
          end
        end
        local.get 4
        i32.const 1
        i32.add
        local.set 4
        br 1 (;@1;)
      end
    end
  )
  (func (;10;) (type 1) (param i32 i32 i32 i32 i32)
    (local i32)
    loop  ;; label = @1
      local.get 3
      local.get 5
      i32.gt_s
      if  ;; label = @2
        local.get 2
        local.get 5
        i32.add
        local.get 0
        local.get 5
        i32.add
        i32.load8_u
        local.get 4
        i32.mul
        local.get 1
        local.get 5
        i32.add
        i32.load8_u
        i32.const 255
        local.get 4
        i32.sub
        i32.mul
        i32.add
        i32.const 127
        i32.add
        i32.const 255
        i32.div_s
        i32.store8
        local.get 5
        i32.const 1
        i32.add
        local.set 5
        br 1 (;@1;)
      end
    end
  )
  (func (;11;) (type 3) (param i32 i32) (result i32)
    (local f32 f32 i32 i32)
    local.get 0
    f32.load
    local.set 2
    i32.const 1
    local.set 5
    loop  ;; label = @1
      local.get 1
      local.get 5
      i32.gt_s
      if  ;; label = @2
        local.get 0
        local.get 5
        i32.const 2
        i32.shl
        i32.add
        f32.load
        local.tee 3
        local.get 2
        f32.gt
        if  ;; label = @3
          local.get 5
          local.set 4
          local.get 3
          local.set 2
        end
        local.get 5
        i32.const 1
        i32.add
        local.set 5
        br 1 (;@1;)
      end
    end
    local.get 4
  )
  (memory (;0;) 256)
  (export "normalise" (func 5))
  (export "chw" (func 9))
  (export "hwc" (func 7))
  (export "ycc" (func 0))
  (export "argmax" (func 11))
  (export "sumb" (func 3))
  (export "sumf" (func 2))
  (export "threshold" (func 1))
  (export "blend" (func 10))
  (export "quantise" (func 4))
  (export "dequant" (func 8))
  (export "lut" (func 6))
  (export "memory" (memory 0))
)
