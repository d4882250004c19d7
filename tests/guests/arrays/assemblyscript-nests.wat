(module
  (type (;0;) (func (param i32 i32 i32 i32 i32 i32)))
  (func (;0;) (type 0) (param i32 i32 i32 i32 i32 i32)
    (local i32 i32 i32 i32)
    loop  ;; label = @1
      local.get 3
      local.get 8
      i32.gt_s
      if  ;; label = @2
        i32.const 0
        local.set 6
        loop  ;; label = @3
          local.get 4
          local.get 6
          i32.gt_s
          if  ;; label = @4
            i32.const 0
            local.set 9
            i32.const 0
            local.set 7
            loop  ;; label = @5
              local.get 5
              local.get 7
              i32.gt_s
              if  ;; label = @6
                local.get 9
                local.get 1
                local.get 5
                local.get 8
                i32.mul
                local.get 7
                i32.add
                i32.add
                i32.load8_s
                local.get 2
                local.get 4
                local.get 7
                i32.mul
                local.get 6
                i32.add
                i32.add
                i32.load8_u
                i32.mul
                i32.add
                local.set 9
                local.get 7
                i32.const 1
                i32.add
                local.set 7
                br 1 (;@5;)
              end
            end
            local.get 0
            local.get 4
            local.get 8
            i32.mul
            local.get 6
            i32.add
            i32.const 2
            i32.shl
            i32.add
            local.get 9
            i32.store
            local.get 6
            i32.const 1
            i32.add
            local.set 6
            br 1 (;@3;)
          end
        end
        local.get 8
        i32.const 1
        i32.add
        local.set 8
        br 1 (;@1;)
      end
    end
  )
  (func (;1;) (type 0) (param i32 i32 i32 i32 i32 i32)
    (local i32 i32 i32 f64)
    loop  ;; label = @1
      local.get 3
      local.get 8
      i32.gt_s
      if  ;; label = @2
        i32.const 0
        local.set 6
        loop  ;; label = @3
          local.get 4
          local.get 6
          i32.gt_s
          if  ;; label = @4
            f64.const 0.0
            local.set 9
            i32.const 0
            local.set 7
            loop  ;; label = @5
              local.get 5
              local.get 7
              i32.gt_s
              if  ;; label = @6
                local.get 9
                local.get 1
                local.get 5
                local.get 8
                i32.mul
                local.get 7
                i32.add
                i32.const 3
                i32.shl
                i32.add
                f64.load
                local.get 2
                local.get 5
                local.get 6
                i32.mul
                local.get 7
                i32.add
                i32.const 3
                i32.shl
                i32.add
                f64.load
                f64.mul
                f64.add
                local.set 9
                local.get 7
                i32.const 1
                i32.add
                local.set 7
                br 1 (;@5;)
              end
            end
            local.get 0
            local.get 4
            local.get 8
            i32.mul
            local.get 6
            i32.add
            i32.const 3
            i32.shl
            i32.add
            local.get 9
            f64.store
            local.get 6
            i32.const 1
            i32.add
            local.set 6
            br 1 (;@3;)
          end
        end
        local.get 8
        i32.const 1
        i32.add
        local.set 8
        br 1 (;@1;)
      end
    end
  )
  (func (;2;) (type 0) (param i32 i32 i32 i32 i32 i32)
    (local i32 i32 i32 f32)
    loop  ;; label = @1
      local.get 3
      local.get 8
      i32.gt_s
      if  ;; label = @2
        i32.const 0
        local.set 6
        loop  ;; label = @3
          local.get 4
          local.get 6
          i32.gt_s
          if  ;; label = @4
            f32.const 0
            local.set 9
            i32.const 0
            local.set 7
            loop  ;; label = @5
              local.get 5
              local.get 7
              i32.gt_s
              if  ;; label = @6
                local.get 9
                local.get 1
                local.get 5
                local.get 8
                i32.mul
                local.get 7
                i32.add
                i32.const 2
                i32.shl
                i32.add
                f32.load
                local.get 2
                local.get 4
                local.get 7
                i32.mul
                local.get 6
                i32.add
                i32.const 2
                i32.shl
                i32.add
                f32.load
                f32.mul
                f32.add
                local.set 9
                local.get 7
                i32.const 1
                i32.add
                local.set 7
                br 1 (;@5;)
              end
            end
            local.get 0
            local.get 4
            local.get 8
            i32.mul
            local.get 6
            i32.add
            i32.const 2
            i32.shl
            i32.add
            local.get 9
            f32.store
            local.get 6
            i32.const 1
            i32.add
            local.set 6
            br 1 (;@3;)
          end
        end
        local.get 8
        i32.const 1
        i32.add
        local.set 8
        br 1 (;@1;)
      end
    end
  )
  (func (;3;) (type 0) (param i32 i32 i32 i32 i32 i32)
    (local i32 i32 i32 f32)
    loop  ;; label = @1
      local.get 3
      local.get 8
      i32.gt_s
      if  ;; label = @2
        i32.const 0
        local.set 7
        loop  ;; label = @3
          local.get 4
          local.get 7
          i32.gt_s
          if  ;; label = @4
            f32.const 0
            local.set 9
            i32.const 0
            local.set 6
            loop  ;; label = @5
              local.get 5
              local.get 6
              i32.gt_s
              if  ;; label = @6
                local.get 9
                local.get 1
                local.get 5
                local.get 8
                i32.mul
                local.get 6
                i32.add
                i32.const 2
                i32.shl
                i32.add
                f32.load
                local.get 2
                local.get 4
                local.get 6
                i32.mul
                local.get 7
                i32.add
                i32.const 2
                i32.shl
                i32.add
                f32.load
                f32.mul
                f32.add
                local.set 9
                local.get 6
                i32.const 1
                i32.add
                local.set 6
                br 1 (;@5;)
              end
            end
            local.get 0
            local.get 4
            local.get 8
            i32.mul
            local.get 7
            i32.add
            i32.const 2
            i32.shl
            i32.add
            local.tee 6
            local.get 9
            f32.const 0.5
            f32.mul
            local.get 6
            f32.load
            f32.const 0.25
            f32.mul
            f32.add
            f32.store
            local.get 7
            i32.const 1
            i32.add
            local.set 7
            br 1 (;@3;)
          end
        end
        local.get 8
        i32.const 1
        i32.add
        local.set 8
        br 1 (;@1;)
      end
    end
  )
  (func (;4;) (type 0) (param i32 i32 i32 i32 i32 i32)
    (local i32 i32 f32)
    loop  ;; label = @1
      local.get 4
      local.get 6
      i32.gt_s
      if  ;; label = @2
        local.get 3
        local.get 6
        i32.const 2
        i32.shl
        i32.add
        f32.load
        local.set 8
        i32.const 0
        local.set 7
        loop  ;; label = @3
          local.get 5
          local.get 7
          i32.gt_s
          if  ;; label = @4
            local.get 8
            local.get 1
            local.get 5
            local.get 6
            i32.mul
            local.get 7
            i32.add
            i32.const 2
            i32.shl
            i32.add
            f32.load
            local.get 2
            local.get 7
            i32.const 2
            i32.shl
            i32.add
            f32.load
            f32.mul
            f32.add
            local.set 8
            local.get 7
            i32.const 1
            i32.add
            local.set 7
            br 1 (;@3;)
          end
        end
        local.get 0
        local.get 6
        i32.const 2
        i32.shl
        i32.add
        local.get 8
        f32.const 0
        local.get 8
        f32.const 0
        f32.gt
        select
        f32.store
        local.get 6
        i32.const 1
        i32.add
        local.set 6
        br 1 (;@1;)
      end
    end
  )
  (memory (;0;) 256)
  (export "matmul" (func 2))
  (export "gemm" (func 3))
  (export "qmatmul" (func 0))
  (export "matmult" (func 1))
  (export "dense" (func 4))
  (export "memory" (memory 0))
)
