(module $c-nests.wasm
  (type (;0;) (func (param i32 i32 i32 i32 i32 i32)))
  (type (;1;) (func (param i32 i32 i32 i32 i32)))
  (func $matmul (;0;) (type 0) (param i32 i32 i32 i32 i32 i32)
    (local i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 f32 i32 i32 i32)
    block  ;; label = @1
      local.get 3
      i32.const 1
      i32.lt_s
      br_if 0 (;@1;)
      local.get 4
      i32.const 3
      i32.shl
      local.set 6
      local.get 4
      i32.const 2
      i32.shl
      local.set 7
      local.get 5
      i32.const 2
      i32.shl
      local.set 8
      local.get 5
      i32.const 2147483646
      i32.and
      local.set 9
      local.get 5
      i32.const 1
      i32.and
      local.set 10
      i32.const 0
      local.set 11
      local.get 1
      local.set 12
      loop  ;; label = @2
        block  ;; label = @3
          local.get 4
          i32.const 1
          i32.lt_s
          br_if 0 (;@3;)
          local.get 0
          local.get 11
          local.get 4
          i32.mul
          i32.const 2
          i32.shl
          i32.add
          local.set 13
          local.get 1
          local.get 11
          local.get 5
          i32.mul
          i32.const 2
          i32.shl
          i32.add
          local.set 14
          i32.const 0
          local.set 15
          local.get 2
          local.set 16
          loop  ;; label = @4
            local.get 15
            i32.const 2
            i32.shl
            local.set 17
            f32.const 0
            local.set 18
            block  ;; label = @5
              local.get 5
              i32.const 1
              i32.lt_s
              br_if 0 (;@5;)
              i32.const 0
              local.set 19
              block  ;; label = @6
                local.get 5
                i32.const 1
                i32.eq
                br_if 0 (;@6;)
                local.get 16
                local.set 20
                local.get 12
                local.set 21
                loop  ;; label = @7
                  local.get 21
                  i32.const 4
                  i32.add
                  f32.load
                  local.get 20
                  local.get 7
                  i32.add
                  f32.load
                  f32.mul
                  local.get 21
                  f32.load
                  local.get 20
                  f32.load
                  f32.mul
                  local.get 18
                  f32.add
                  f32.add
                  local.set 18
                  local.get 20
                  local.get 6
                  i32.add
                  local.set 20
                  local.get 21
                  i32.const 8
                  i32.add
                  local.set 21
                  local.get 9
                  local.get 19
                  i32.const 2
                  i32.add
                  local.tee 19
                  i32.ne
                  br_if 0 (;@7;)
                end
                local.get 10
                i32.eqz
                br_if 1 (;@5;)
              end
              local.get 14
              local.get 19
              i32.const 2
              i32.shl
              i32.add
              f32.load
              local.get 2
              local.get 17
              i32.add
              local.get 19
              local.get 4
              i32.mul
              i32.const 2
              i32.shl
              i32.add
              f32.load
              f32.mul
              local.get 18
              f32.add
              local.set 18
            end
            local.get 13
            local.get 17
            i32.add
            local.get 18
            f32.store
            local.get 16
            i32.const 4
            i32.add
            local.set 16
            local.get 15
            i32.const 1
            i32.add
            local.tee 15
            local.get 4
            i32.ne
            br_if 0 (;@4;)
          end
        end
        local.get 12
        local.get 8
        i32.add
        local.set 12
        local.get 11
        i32.const 1
        i32.add
        local.tee 11
        local.get 3
        i32.ne
        br_if 0 (;@2;)
      end
    end
  )
  (func $gemm (;1;) (type 0) (param i32 i32 i32 i32 i32 i32)
    (local i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 f32 i32 i32 i32)
    block  ;; label = @1
      local.get 3
      i32.const 1
      i32.lt_s
      br_if 0 (;@1;)
      local.get 4
      i32.const 3
      i32.shl
      local.set 6
      local.get 4
      i32.const 2
      i32.shl
      local.set 7
      local.get 5
      i32.const 2
      i32.shl
      local.set 8
      local.get 5
      i32.const 2147483646
      i32.and
      local.set 9
      local.get 5
      i32.const 1
      i32.and
      local.set 10
      i32.const 0
      local.set 11
      local.get 1
      local.set 12
      loop  ;; label = @2
        block  ;; label = @3
          local.get 4
          i32.const 1
          i32.lt_s
          br_if 0 (;@3;)
          local.get 0
          local.get 11
          local.get 4
          i32.mul
          i32.const 2
          i32.shl
          i32.add
          local.set 13
          local.get 1
          local.get 11
          local.get 5
          i32.mul
          i32.const 2
          i32.shl
          i32.add
          local.set 14
          i32.const 0
          local.set 15
          local.get 2
          local.set 16
          loop  ;; label = @4
            local.get 15
            i32.const 2
            i32.shl
            local.set 17
            f32.const 0
            local.set 18
            block  ;; label = @5
              local.get 5
              i32.const 1
              i32.lt_s
              br_if 0 (;@5;)
              i32.const 0
              local.set 19
              block  ;; label = @6
                local.get 5
                i32.const 1
                i32.eq
                br_if 0 (;@6;)
                local.get 16
                local.set 20
                local.get 12
                local.set 21
                loop  ;; label = @7
                  local.get 21
                  i32.const 4
                  i32.add
                  f32.load
                  local.get 20
                  local.get 7
                  i32.add
                  f32.load
                  f32.mul
                  local.get 21
                  f32.load
                  local.get 20
                  f32.load
                  f32.mul
                  local.get 18
                  f32.add
                  f32.add
                  local.set 18
                  local.get 20
                  local.get 6
                  i32.add
                  local.set 20
                  local.get 21
                  i32.const 8
                  i32.add
                  local.set 21
                  local.get 9
                  local.get 19
                  i32.const 2
                  i32.add
                  local.tee 19
                  i32.ne
                  br_if 0 (;@7;)
                end
                local.get 10
                i32.eqz
                br_if 1 (;@5;)
              end
              local.get 14
              local.get 19
              i32.const 2
              i32.shl
              i32.add
              f32.load
              local.get 2
              local.get 17
              i32.add
              local.get 19
              local.get 4
              i32.mul
              i32.const 2
              i32.shl
              i32.add
              f32.load
              f32.mul
              local.get 18
              f32.add
              local.set 18
            end
            local.get 13
            local.get 17
            i32.add
            local.tee 20
            local.get 18
            f32.const 0.5
            f32.mul
            local.get 20
            f32.load
            f32.const 0.25
            f32.mul
            f32.add
            f32.store
            local.get 16
            i32.const 4
            i32.add
            local.set 16
            local.get 15
            i32.const 1
            i32.add
            local.tee 15
            local.get 4
            i32.ne
            br_if 0 (;@4;)
          end
        end
        local.get 12
        local.get 8
        i32.add
        local.set 12
        local.get 11
        i32.const 1
        i32.add
        local.tee 11
        local.get 3
        i32.ne
        br_if 0 (;@2;)
      end
    end
  )
  (func $qmatmul (;2;) (type 0) (param i32 i32 i32 i32 i32 i32)
    (local i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32)
    block  ;; label = @1
      local.get 3
      i32.const 1
      i32.lt_s
      br_if 0 (;@1;)
      local.get 4
      i32.const 1
      i32.shl
      local.set 6
      local.get 5
      i32.const 2147483646
      i32.and
      local.set 7
      local.get 5
      i32.const 1
      i32.and
      local.set 8
      i32.const 0
      local.set 9
      local.get 1
      local.set 10
      loop  ;; label = @2
        block  ;; label = @3
          local.get 4
          i32.const 1
          i32.lt_s
          br_if 0 (;@3;)
          local.get 1
          local.get 9
          local.get 5
          i32.mul
          i32.add
          local.set 11
          local.get 0
          local.get 9
          local.get 4
          i32.mul
          i32.const 2
          i32.shl
          i32.add
          local.set 12
          i32.const 0
          local.set 13
          local.get 2
          local.set 14
          loop  ;; label = @4
            i32.const 0
            local.set 15
            block  ;; label = @5
              local.get 5
              i32.const 1
              i32.lt_s
              br_if 0 (;@5;)
              i32.const 0
              local.set 16
              i32.const 0
              local.set 15
              block  ;; label = @6
                local.get 5
                i32.const 1
                i32.eq
                br_if 0 (;@6;)
                i32.const 0
                local.set 16
                local.get 14
                local.set 17
                i32.const 0
                local.set 15
                loop  ;; label = @7
                  local.get 17
                  local.get 4
                  i32.add
                  i32.load8_u
                  local.get 10
                  local.get 16
                  i32.add
                  local.tee 18
                  i32.const 1
                  i32.add
                  i32.load8_s
                  i32.mul
                  local.get 17
                  i32.load8_u
                  local.get 18
                  i32.load8_s
                  i32.mul
                  local.get 15
                  i32.add
                  i32.add
                  local.set 15
                  local.get 17
                  local.get 6
                  i32.add
                  local.set 17
                  local.get 7
                  local.get 16
                  i32.const 2
                  i32.add
                  local.tee 16
                  i32.ne
                  br_if 0 (;@7;)
                end
                local.get 8
                i32.eqz
                br_if 1 (;@5;)
              end
              local.get 2
              local.get 13
              i32.add
              local.get 16
              local.get 4
              i32.mul
              i32.add
              i32.load8_u
              local.get 11
              local.get 16
              i32.add
              i32.load8_s
              i32.mul
              local.get 15
              i32.add
              local.set 15
            end
            local.get 12
            local.get 13
            i32.const 2
            i32.shl
            i32.add
            local.get 15
            i32.store
            local.get 14
            i32.const 1
            i32.add
            local.set 14
            local.get 13
            i32.const 1
            i32.add
            local.tee 13
            local.get 4
            i32.ne
            br_if 0 (;@4;)
          end
        end
        local.get 10
        local.get 5
        i32.add
        local.set 10
        local.get 9
        i32.const 1
        i32.add
        local.tee 9
        local.get 3
        i32.ne
        br_if 0 (;@2;)
      end
    end
  )
  (func $matmult (;3;) (type 0) (param i32 i32 i32 i32 i32 i32)
    (local i32 i32 i32 i32 i32 i32 i32 i32 i32 f64 i32 i32 i32 i32)
    block  ;; label = @1
      local.get 3
      i32.const 1
      i32.lt_s
      br_if 0 (;@1;)
      local.get 5
      i32.const 3
      i32.shl
      local.set 6
      local.get 5
      i32.const 2147483644
      i32.and
      local.set 7
      local.get 5
      i32.const 3
      i32.and
      local.set 8
      i32.const 0
      local.set 9
      local.get 4
      i32.const 1
      i32.lt_s
      local.set 10
      local.get 5
      i32.const 4
      i32.lt_u
      local.set 11
      loop  ;; label = @2
        block  ;; label = @3
          local.get 10
          br_if 0 (;@3;)
          local.get 0
          local.get 9
          local.get 4
          i32.mul
          i32.const 3
          i32.shl
          i32.add
          local.set 12
          i32.const 0
          local.set 13
          local.get 2
          local.set 14
          loop  ;; label = @4
            f64.const 0.0
            local.set 15
            block  ;; label = @5
              local.get 5
              i32.const 1
              i32.lt_s
              br_if 0 (;@5;)
              block  ;; label = @6
                block  ;; label = @7
                  local.get 11
                  i32.eqz
                  br_if 0 (;@7;)
                  i32.const 0
                  local.set 16
                  br 1 (;@6;)
                end
                i32.const 0
                local.set 17
                i32.const 0
                local.set 16
                loop  ;; label = @7
                  local.get 1
                  local.get 17
                  i32.add
                  local.tee 18
                  i32.const 24
                  i32.add
                  f64.load
                  local.get 14
                  local.get 17
                  i32.add
                  local.tee 19
                  i32.const 24
                  i32.add
                  f64.load
                  f64.mul
                  local.get 18
                  i32.const 16
                  i32.add
                  f64.load
                  local.get 19
                  i32.const 16
                  i32.add
                  f64.load
                  f64.mul
                  local.get 18
                  i32.const 8
                  i32.add
                  f64.load
                  local.get 19
                  i32.const 8
                  i32.add
                  f64.load
                  f64.mul
                  local.get 18
                  f64.load
                  local.get 19
                  f64.load
                  f64.mul
                  local.get 15
                  f64.add
                  f64.add
                  f64.add
                  f64.add
                  local.set 15
                  local.get 17
                  i32.const 32
                  i32.add
                  local.set 17
                  local.get 7
                  local.get 16
                  i32.const 4
                  i32.add
                  local.tee 16
                  i32.ne
                  br_if 0 (;@7;)
                end
                local.get 8
                i32.eqz
                br_if 1 (;@5;)
              end
              local.get 16
              i32.const 3
              i32.shl
              local.set 17
              local.get 8
              local.set 18
              loop  ;; label = @6
                local.get 1
                local.get 17
                i32.add
                f64.load
                local.get 14
                local.get 17
                i32.add
                f64.load
                f64.mul
                local.get 15
                f64.add
                local.set 15
                local.get 17
                i32.const 8
                i32.add
                local.set 17
                local.get 18
                i32.const -1
                i32.add
                local.tee 18
                br_if 0 (;@6;)
              end
            end
            local.get 12
            local.get 13
            i32.const 3
            i32.shl
            i32.add
            local.get 15
            f64.store
            local.get 14
            local.get 6
            i32.add
            local.set 14
            local.get 13
            i32.const 1
            i32.add
            local.tee 13
            local.get 4
            i32.ne
            br_if 0 (;@4;)
          end
        end
        local.get 1
        local.get 6
        i32.add
        local.set 1
        local.get 9
        i32.const 1
        i32.add
        local.tee 9
        local.get 3
        i32.ne
        br_if 0 (;@2;)
      end
    end
  )
  (func $dense (;4;) (type 0) (param i32 i32 i32 i32 i32 i32)
    (local i32 i32 i32 i32 i32 i32 i32 f32 i32 i32 i32)
    block  ;; label = @1
      local.get 4
      i32.const 1
      i32.lt_s
      br_if 0 (;@1;)
      local.get 5
      i32.const 2
      i32.shl
      local.set 6
      local.get 5
      i32.const 2147483644
      i32.and
      local.set 7
      local.get 5
      i32.const 3
      i32.and
      local.set 8
      i32.const 0
      local.set 9
      local.get 5
      i32.const 1
      i32.lt_s
      local.set 10
      local.get 5
      i32.const 4
      i32.lt_u
      local.set 11
      loop  ;; label = @2
        local.get 3
        local.get 9
        i32.const 2
        i32.shl
        local.tee 12
        i32.add
        f32.load
        local.set 13
        block  ;; label = @3
          local.get 10
          br_if 0 (;@3;)
          i32.const 0
          local.set 14
          block  ;; label = @4
            local.get 11
            br_if 0 (;@4;)
            i32.const 0
            local.set 14
            i32.const 0
            local.set 5
            loop  ;; label = @5
              local.get 1
              local.get 5
              i32.add
              local.tee 15
              i32.const 12
              i32.add
              f32.load
              local.get 2
              local.get 5
              i32.add
              local.tee 16
              i32.const 12
              i32.add
              f32.load
              f32.mul
              local.get 15
              i32.const 8
              i32.add
              f32.load
              local.get 16
              i32.const 8
              i32.add
              f32.load
              f32.mul
              local.get 15
              i32.const 4
              i32.add
              f32.load
              local.get 16
              i32.const 4
              i32.add
              f32.load
              f32.mul
              local.get 15
              f32.load
              local.get 16
              f32.load
              f32.mul
              local.get 13
              f32.add
              f32.add
              f32.add
              f32.add
              local.set 13
              local.get 5
              i32.const 16
              i32.add
              local.set 5
              local.get 7
              local.get 14
              i32.const 4
              i32.add
              local.tee 14
              i32.ne
              br_if 0 (;@5;)
            end
            local.get 8
            i32.eqz
            br_if 1 (;@3;)
          end
          local.get 14
          i32.const 2
          i32.shl
          local.set 5
          local.get 8
          local.set 15
          loop  ;; label = @4
            local.get 1
            local.get 5
            i32.add
            f32.load
            local.get 2
            local.get 5
            i32.add
            f32.load
            f32.mul
            local.get 13
            f32.add
            local.set 13
            local.get 5
            i32.const 4
            i32.add
            local.set 5
            local.get 15
            i32.const -1
            i32.add
            local.tee 15
            br_if 0 (;@4;)
          end
        end
        local.get 0
        local.get 12
        i32.add
        local.get 13
        f32.const 0
        local.get 13
        f32.const 0
        f32.gt
        select
        f32.store
        local.get 1
        local.get 6
        i32.add
        local.set 1
        local.get 9
        i32.const 1
        i32.add
        local.tee 9
        local.get 4
        i32.ne
        br_if 0 (;@2;)
      end
    end
  )
  (func $conv3 (;5;) (type 1) (param i32 i32 i32 i32 i32)
    (local i32 i32 i32 i32 i32 i32 i32 i32)
    block  ;; label = @1
      local.get 3
      i32.const 1
      i32.lt_s
      br_if 0 (;@1;)
      local.get 1
      local.get 4
      i32.const 2
      i32.shl
      local.tee 5
      i32.add
      local.set 6
      local.get 5
      i32.const 8
      i32.add
      local.set 7
      local.get 1
      local.get 4
      i32.const 3
      i32.shl
      i32.add
      local.set 8
      i32.const 0
      local.set 9
      loop  ;; label = @2
        block  ;; label = @3
          block  ;; label = @4
            local.get 4
            i32.const 0
            i32.gt_s
            br_if 0 (;@4;)
            local.get 9
            i32.const 1
            i32.add
            local.set 9
            br 1 (;@3;)
          end
          local.get 9
          i32.const 1
          i32.add
          local.set 9
          i32.const 0
          local.set 10
          local.get 4
          local.set 11
          loop  ;; label = @4
            local.get 0
            local.get 10
            i32.add
            local.get 8
            local.get 10
            i32.add
            local.tee 12
            i32.const 24
            i32.add
            f32.load
            local.get 2
            f32.load offset=32
            f32.mul
            local.get 12
            i32.const 20
            i32.add
            f32.load
            local.get 2
            f32.load offset=28
            f32.mul
            local.get 12
            i32.const 16
            i32.add
            f32.load
            local.get 2
            f32.load offset=24
            f32.mul
            local.get 6
            local.get 10
            i32.add
            local.tee 12
            i32.const 16
            i32.add
            f32.load
            local.get 2
            f32.load offset=20
            f32.mul
            local.get 12
            i32.const 12
            i32.add
            f32.load
            local.get 2
            f32.load offset=16
            f32.mul
            local.get 12
            i32.const 8
            i32.add
            f32.load
            local.get 2
            f32.load offset=12
            f32.mul
            local.get 1
            local.get 10
            i32.add
            local.tee 12
            i32.const 8
            i32.add
            f32.load
            local.get 2
            f32.load offset=8
            f32.mul
            local.get 12
            i32.const 4
            i32.add
            f32.load
            local.get 2
            f32.load offset=4
            f32.mul
            local.get 12
            f32.load
            local.get 2
            f32.load
            f32.mul
            f32.const 0
            f32.add
            f32.add
            f32.add
            f32.add
            f32.add
            f32.add
            f32.add
            f32.add
            f32.add
            f32.store
            local.get 10
            i32.const 4
            i32.add
            local.set 10
            local.get 11
            i32.const -1
            i32.add
            local.tee 11
            br_if 0 (;@4;)
          end
        end
        local.get 1
        local.get 7
        i32.add
        local.set 1
        local.get 6
        local.get 7
        i32.add
        local.set 6
        local.get 8
        local.get 7
        i32.add
        local.set 8
        local.get 0
        local.get 5
        i32.add
        local.set 0
        local.get 9
        local.get 3
        i32.ne
        br_if 0 (;@2;)
      end
    end
  )
  (table (;0;) 1 1 funcref)
  (memory (;0;) 256)
  (global (;0;) (mut i32) (i32.const 16777216))
  (export "memory" (memory 0))
  (export "matmul" (func $matmul))
  (export "gemm" (func $gemm))
  (export "qmatmul" (func $qmatmul))
  (export "matmult" (func $matmult))
  (export "dense" (func $dense))
  (export "conv3" (func $conv3))
  (@custom ".debug_loc" "\ff\ff\ff\ff\03\00\00\00\00\00\00\00?\00\00\00\02\000\9f-\01\00\00/\01\00\00\04\00\ed\02\00\9f/\01\00\004\01\00\00\04\00\ed\00\0b\9f\00\00\00\00\00\00\00\00\ff\ff\ff\ff\03\00\00\00A\00\00\00l\00\00\00\02\000\9f\18\01\00\00\1a\01\00\00\04\00\ed\02\00\9f\1a\01\00\00\1f\01\00\00\04\00\ed\00\0f\9f\00\00\00\00\00\00\00\00\ff\ff\ff\ff\03\00\00\00|\00\00\00\9a\00\00\00\02\000\9f\d3\00\00\00\d5\00\00\00\04\00\ed\02\01\9f\d5\00\00\00\de\00\00\00\04\00\ed\00\13\9f\00\00\00\00\00\00\00\00\ff\ff\ff\ff\03\00\00\00|\00\00\00\9a\00\00\00\06\00\9e\04\00\00\00\00\bb\00\00\00\bc\00\00\00\04\00\ed\02\01\9f\be\00\00\00\de\00\00\00\04\00\ed\00\12\9f\00\00\00\00\00\00\00\00\ff\ff\ff\ff<\01\00\00\00\00\00\00?\00\00\00\02\000\9fA\01\00\00C\01\00\00\04\00\ed\02\00\9fC\01\00\00H\01\00\00\04\00\ed\00\0b\9f\00\00\00\00\00\00\00\00\ff\ff\ff\ff<\01\00\00A\00\00\00l\00\00\00\02\000\9f,\01\00\00.\01\00\00\04\00\ed\02\00\9f.\01\00\003\01\00\00\04\00\ed\00\0f\9f\00\00\00\00\00\00\00\00\ff\ff\ff\ff<\01\00\00|\00\00\00\9a\00\00\00\02\000\9f\d3\00\00\00\d5\00\00\00\04\00\ed\02\01\9f\d5\00\00\00\de\00\00\00\04\00\ed\00\13\9f\00\00\00\00\00\00\00\00\ff\ff\ff\ff<\01\00\00|\00\00\00\9a\00\00\00\06\00\9e\04\00\00\00\00\bb\00\00\00\bc\00\00\00\04\00\ed\02\01\9f\be\00\00\00\de\00\00\00\04\00\ed\00\12\9f\00\00\00\00\00\00\00\00\ff\ff\ff\ff\89\02\00\00\00\00\00\00-\00\00\00\02\000\9f\11\01\00\00\13\01\00\00\04\00\ed\02\00\9f\13\01\00\00\18\01\00\00\04\00\ed\00\09\9f\00\00\00\00\00\00\00\00\ff\ff\ff\ff\89\02\00\00/\00\00\00W\00\00\00\02\000\9f\fc\00\00\00\fe\00\00\00\04\00\ed\02\00\9f\fe\00\00\00\03\01\00\00\04\00\ed\00\0d\9f\00\00\00\00\00\00\00\00\ff\ff\ff\ff\89\02\00\00Y\00\00\00\83\00\00\00\02\000\9f\ba\00\00\00\bc\00\00\00\04\00\ed\02\01\9f\bc\00\00\00\c5\00\00\00\04\00\ed\00\10\9f\00\00\00\00\00\00\00\00\ff\ff\ff\ff\89\02\00\00Y\00\00\00\83\00\00\00\02\000\9f\a9\00\00\00\aa\00\00\00\04\00\ed\02\01\9f\ac\00\00\00\c5\00\00\00\04\00\ed\00\0f\9f\00\00\00\00\00\00\00\00\ff\ff\ff\ff\a6\03\00\00\00\00\00\00;\00\00\00\02\000\9fU\01\00\00W\01\00\00\04\00\ed\02\00\9fW\01\00\00\5c\01\00\00\04\00\ed\00\09\9f\00\00\00\00\00\00\00\00\ff\ff\ff\ff\a6\03\00\00\00\00\00\00;\00\00\00\04\00\ed\00\01\9f\00\00\00\00\00\00\00\00\ff\ff\ff\ff\a6\03\00\00=\00\00\00X\00\00\00\02\000\9f@\01\00\00B\01\00\00\04\00\ed\02\00\9fB\01\00\00G\01\00\00\04\00\ed\00\0d\9f\00\00\00\00\00\00\00\00\ff\ff\ff\ff\a6\03\00\00e\00\00\00\86\00\00\00\02\000\9f\e6\00\00\00\e8\00\00\00\04\00\ed\02\01\9f\e8\00\00\00\f1\00\00\00\04\00\ed\00\10\9f\00\00\00\00\00\00\00\00\ff\ff\ff\ff\a6\03\00\00e\00\00\00\86\00\00\00\0a\00\9e\08\00\00\00\00\00\00\00\00\d5\00\00\00\d6\00\00\00\04\00\ed\02\01\9f\d8\00\00\00\f1\00\00\00\04\00\ed\00\0f\9f\15\01\00\00%\01\00\00\04\00\ed\00\0f\9f\00\00\00\00\00\00\00\00\ff\ff\ff\ff\07\05\00\00\00\00\00\00;\00\00\00\02\000\9f)\01\00\00+\01\00\00\04\00\ed\02\00\9f+\01\00\000\01\00\00\04\00\ed\00\09\9f\00\00\00\00\00\00\00\00\ff\ff\ff\ff\07\05\00\00\00\00\00\00;\00\00\00\04\00\ed\00\05\9f\00\00\00\00\00\00\00\00\ff\ff\ff\ff\07\05\00\00\00\00\00\00;\00\00\00\04\00\ed\00\01\9f\00\00\00\00\00\00\00\00\ff\ff\ff\ff\07\05\00\00L\00\00\00f\00\00\00\04\00\ed\00\0d\9f\b3\00\00\00\b4\00\00\00\04\00\ed\02\01\9f\b6\00\00\00\dd\00\00\00\04\00\ed\00\0d\9f\f3\00\00\000\01\00\00\04\00\ed\00\0d\9f\00\00\00\00\00\00\00\00\ff\ff\ff\ff\07\05\00\00L\00\00\00d\00\00\00\02\000\9f\c4\00\00\00\c6\00\00\00\04\00\ed\02\01\9f\c6\00\00\00\cf\00\00\00\04\00\ed\00\0e\9f\00\00\00\00\00\00\00\00\ff\ff\ff\ff<\06\00\00\00\00\00\00-\00\00\00\02\000\9f\00\00\00\00\00\00\00\00\ff\ff\ff\ff<\06\00\00\00\00\00\00-\00\00\00\04\00\ed\00\01\9f\00\00\00\00\00\00\00\00\ff\ff\ff\ff<\06\00\00\00\00\00\00-\00\00\00\04\00\ed\00\00\9f\00\00\00\00\00\00\00\00\ff\ff\ff\ff<\06\00\00/\00\00\00S\00\00\00\02\000\9f\00\00\00\00\00\00\00\00\ff\ff\ff\ff<\06\00\00\f2\00\00\00\f5\00\00\00\04\00\ed\02\01\9f\00\00\00\00\00\00\00\00")
  (@custom ".debug_abbrev" "\01\11\01%\0e\13\05\03\0e\10\17\1b\0e\11\01U\17\00\00\02.\01\11\01\12\06@\18\97B\19\03\0e:\0b;\0b'\19?\19\00\00\03\05\00\02\18\03\0e:\0b;\0bI\13\00\00\04\0b\01\11\01\12\06\00\00\054\00\02\17\03\0e:\0b;\0bI\13\00\00\06\05\00\02\17\03\0e:\0b;\0bI\13\00\00\07\0b\01U\17\00\00\084\00\1c\0d\03\0e:\0b;\0bI\13\00\00\09\16\00I\13\03\0e:\0b;\0b\00\00\0a$\00\03\0e>\0b\0b\0b\00\00\0b\0f\00I\13\00\00\0c&\00I\13\00\00\00")
  (@custom ".debug_info" "\a7\05\00\00\04\00\00\00\00\00\04\01\8f\00\00\00\1d\00Z\00\00\00\00\00\00\00\18\00\00\00\00\00\00\00\18\00\00\00\02\03\00\00\007\01\00\00\07\ed\03\00\00\00\00\9f<\00\00\00\01\03\03\04\ed\00\00\9f\83\00\00\00\01\03R\05\00\00\03\04\ed\00\01\9f\87\00\00\00\01\03A\05\00\00\03\04\ed\00\02\9f\85\00\00\00\01\03A\05\00\00\03\04\ed\00\03\9f4\00\00\00\01\03/\05\00\00\03\04\ed\00\04\9f9\00\00\00\01\03/\05\00\00\03\04\ed\00\05\9fC\00\00\00\01\03/\05\00\00\04\10\00\00\00)\01\00\00\05\00\00\00\00G\00\00\00\01\03/\05\00\00\04K\00\00\00\d9\00\00\00\058\00\00\00E\00\00\00\01\03/\05\00\00\04u\00\00\00\9e\00\00\00\05\a8\00\00\00$\00\00\00\01\03K\05\00\00\04u\00\00\00\8f\00\00\00\05p\00\00\00A\00\00\00\01\03/\05\00\00\00\00\00\00\00\02<\01\00\00K\01\00\00\07\ed\03\00\00\00\00\9f6\00\00\00\01\04\03\04\ed\00\00\9f\83\00\00\00\01\04R\05\00\00\03\04\ed\00\01\9f\87\00\00\00\01\04A\05\00\00\03\04\ed\00\02\9f\85\00\00\00\01\04A\05\00\00\03\04\ed\00\03\9f4\00\00\00\01\04/\05\00\00\03\04\ed\00\04\9f9\00\00\00\01\04/\05\00\00\03\04\ed\00\05\9fC\00\00\00\01\04/\05\00\00\04I\01\00\00=\01\00\00\05\e4\00\00\00G\00\00\00\01\04/\05\00\00\04\84\01\00\00\ed\00\00\00\05\1c\01\00\00E\00\00\00\01\04/\05\00\00\04\ae\01\00\00\b2\00\00\00\05\8c\01\00\00$\00\00\00\01\04K\05\00\00\04\ae\01\00\00\8f\00\00\00\05T\01\00\00A\00\00\00\01\04/\05\00\00\00\00\00\00\00\02\89\02\00\00\1b\01\00\00\07\ed\03\00\00\00\00\9f;\00\00\00\01\05\03\04\ed\00\00\9f\83\00\00\00\01\05\8f\05\00\00\03\04\ed\00\01\9f\87\00\00\00\01\05s\05\00\00\03\04\ed\00\02\9f\85\00\00\00\01\05W\05\00\00\03\04\ed\00\03\9f4\00\00\00\01\05/\05\00\00\03\04\ed\00\04\9f9\00\00\00\01\05/\05\00\00\03\04\ed\00\05\9fC\00\00\00\01\05/\05\00\00\04\92\02\00\00\11\01\00\00\05\c8\01\00\00G\00\00\00\01\05/\05\00\00\04\bf\02\00\00\cf\00\00\00\05\00\02\00\00E\00\00\00\01\05/\05\00\00\04\ed\02\00\00\90\00\00\00\05p\02\00\00$\00\00\00\01\05/\05\00\00\04\ed\02\00\00~\00\00\00\058\02\00\00A\00\00\00\01\05/\05\00\00\00\00\00\00\00\02\a6\03\00\00_\01\00\00\07\ed\03\00\00\00\00\9f\0a\00\00\00\01\06\03\04\ed\00\00\9f\83\00\00\00\01\06\a5\05\00\00\06\e0\02\00\00\87\00\00\00\01\06\94\05\00\00\03\04\ed\00\02\9f\85\00\00\00\01\06\94\05\00\00\03\04\ed\00\03\9f4\00\00\00\01\06/\05\00\00\03\04\ed\00\04\9f9\00\00\00\01\06/\05\00\00\03\04\ed\00\05\9fC\00\00\00\01\06/\05\00\00\04\b3\03\00\00Q\01\00\00\05\a8\02\00\00G\00\00\00\01\06/\05\00\00\04\e1\03\00\00\0e\01\00\00\05\fe\02\00\00E\00\00\00\01\06/\05\00\00\04\12\04\00\00\c8\00\00\00\05n\03\00\00$\00\00\00\01\06\9e\05\00\00\04\12\04\00\00\c1\00\00\00\056\03\00\00A\00\00\00\01\06/\05\00\00\00\00\00\00\00\02\07\05\00\003\01\00\00\07\ed\03\00\00\00\00\9fK\00\00\00\01\07\03\04\ed\00\00\9f\00\00\00\00\01\07R\05\00\00\06\12\04\00\00\04\00\00\00\01\07A\05\00\00\03\04\ed\00\02\9f\02\00\00\00\01\07A\05\00\00\03\04\ed\00\03\9f\85\00\00\00\01\07A\05\00\00\03\04\ed\00\04\9f4\00\00\00\01\07/\05\00\00\06\f4\03\00\00C\00\00\00\01\07/\05\00\00\04\14\05\00\00%\01\00\00\05\bc\03\00\00G\00\00\00\01\07/\05\00\00\04J\05\00\00\da\00\00\00\050\04\00\00$\00\00\00\01\07K\05\00\00\04S\05\00\00\b9\00\00\00\05x\04\00\00A\00\00\00\01\07/\05\00\00\00\00\00\00\02<\06\00\00-\01\00\00\07\ed\03\00\00\00\00\9f\a4\00\00\00\01\08\06\ea\04\00\00X\00\00\00\01\08R\05\00\00\06\cc\04\00\00$\00\00\00\01\08A\05\00\00\03\04\ed\00\02\9f\04\00\00\00\01\08A\05\00\00\03\04\ed\00\03\9fI\00\00\00\01\08/\05\00\00\03\04\ed\00\04\9f4\00\00\00\01\08/\05\00\00\04E\06\00\00#\01\00\00\05\b0\04\00\00\00\00\00\00\01\08/\05\00\00\07\00\00\00\00\05\08\05\00\00\02\00\00\00\01\08/\05\00\00\04\8f\06\00\00\a6\00\00\00\05$\05\00\00\16\00\00\00\01\08K\05\00\00\04\96\06\00\00\98\00\00\00\08\03G\00\00\00\01\08/\05\00\00\04\96\06\00\00\98\00\00\00\08\03E\00\00\00\01\08/\05\00\00\00\00\00\00\00\00\09:\05\00\00\aa\00\00\00\01\01\0a\06\00\00\00\05\04\0bF\05\00\00\0cK\05\00\00\0a\12\00\00\00\04\04\0bK\05\00\00\0b\5c\05\00\00\0ca\05\00\00\09l\05\00\00\89\00\00\00\01\01\0a&\00\00\00\08\01\0bx\05\00\00\0c}\05\00\00\09\88\05\00\00\8c\00\00\00\01\01\0a(\00\00\00\06\01\0b/\05\00\00\0b\99\05\00\00\0c\9e\05\00\00\0aQ\00\00\00\04\08\0b\9e\05\00\00\00")
  (@custom ".debug_ranges" "t\06\00\00v\06\00\00}\06\00\00C\07\00\00\00\00\00\00\00\00\00\00\03\00\00\00:\01\00\00<\01\00\00\87\02\00\00\89\02\00\00\a4\03\00\00\a6\03\00\00\05\05\00\00\07\05\00\00:\06\00\00<\06\00\00i\07\00\00\00\00\00\00\00\00\00\00")
  (@custom ".debug_str" "y\00x\00w\00int\00matmult\00float\00/tmp/wt/nests\00unsigned char\00n\00gemm\00qmatmul\00k\00j\00i\00h\00dense\00double\00d\00/tmp/wt/arrays/tests/guests/arrays/nests.c\00b\00a\00u8\00i8\00clang version 22.1.8\00conv3\00i32\00")
  (@custom ".debug_line" "v\04\00\00\04\00B\00\00\00\01\01\01\fb\0e\0d\00\01\01\01\01\00\00\00\01\00\00\01/tmp/wt\00\00arrays/tests/guests/arrays/nests.c\00\01\00\00\00\00\05\02\03\00\00\00\14\05R\0a\c8\05E \06+\06M\06\02+\0f\05Z\06\93\06+\05{\06\02(\15\06\9bw+\af+\05\93\01\06\d9\05\9c\01\06J\05\91\01\82\05\93\01 \05\9c\01X\05\91\01\06XJ\05{<\05\8c\01\08<\05{ X\06c\05\93\01\06w\05\9f\01\06\9e\05\9c\01t\05\91\01Xc\05\a6\01\06#\05\ae\01\06X\05Z\06\90\05kt\05g \05ZX.\05E.\05V\ac\05R \05EX.\05\b4\01.\02\01\00\01\01\00\05\02<\01\00\00\15\05P\0a\c8\05C \06*\06N\06\02+\0e\05X\06\94\06*\05y\06\02(\16\06\9ax*\b0*\05\91\01\06\da\05\9a\01\06J\05\8f\01\82\05\91\01 \05\9a\01X\05\8f\01\06XJ\05y<\05\8a\01\08<\05y X\06b\05\91\01\06x\05\9d\01\06\9e\05\9a\01t\05\8f\01Xb\05\ba\01\06$\05\b3\01\06\d6\05\ba\01 \05\b9\01\9e\05\b3\01 \05\ac\01 \05X\06t\05it\05e \05XX.\05C.\05T\ac\05P \05CX.\05\c6\01.\02\01\00\01\01\00\05\02\89\02\00\00\16\05K\0a\90\05> \06)\06O\06\08\b5\05S\06\95\06)\05r\06\02,\17\06)\e9)\05\93\01\06\bf\05\8a\01\06\9e\05\92\01\c8\05\93\01 \05\8a\01X\05\92\01X\05\88\01 \06<\05r<\05\83\01\c8\05r X\06a\05\96\01\06k\05\93\01\06X\05\8a\01J\05\92\01\82\05\88\01 S\05\9d\01\06y\05\a5\01\06.\05S\06\90\05dt\05` \05SX.\05>.\05O\ac\05K \05>X.\05\ab\01.\02\01\00\01\01\00\05\02\a6\03\00\00\17\05V\0a\c8\05I \06\03z.\06P\05^\02'\12\06\03z\82\05\80\01\06\02)\18\06\03z\acP\03z.\05\98\01\06\96\05\a1\01\06\e4\05\96\01\c8\05\98\01X\05\a1\01\82\05\96\01\06J\05\98\01\06X\05\a1\01\82\05\96\01\06J\05\98\01\06 \05\a1\01X\05\96\01\06XJ  \06\03z<\05\80\01\06P\05\91\01\90\05\80\01 X\06\03zf\06^\05\98\01t\05\a1\01\06\9e\05\96\01\82\03zf\05\80\01\06P\ba\05\ab\01\06\82\05\b3\01\06.\05^X\05o\ac\05k \05^X.\05I.\05Z\ac\05V \05IX.\05\b9\01.\02\01\00\01\01\00\05\02\07\05\00\00\18\05Y\0a\c8\05L \06\03y.\06Q\06\03y\02'\01\05j\06\89\05p\90\06\03yfQ\03yf\05\88\01\06\89\05\91\01\06\e4\05\86\01\c8\05\88\01X\05\91\01\82\05\86\01\06J\05\88\01\06X\05\91\01\82\05\86\01\06J\05\88\01\06 \05\91\01X\05\86\01\06XJ  \06\03y<\05p\06Q\05\81\01\90\05p X\06\03yf\06_\05\88\01t\05\91\01\06\9e\05\86\01\82\03yf\05p\06Q\ba\05\97\01\06.\05\9d\01\06\08.\05\9c\01\06 \05\9b\01\06 \05L<\05]\ac\05Y \05LX.\05\a7\01.\02\01\00\01\01\00\05\02<\06\00\00\19\05K\0a\90\05> \06\03x.\06n\06\03x\08\9e\05S\06\b4\06\03x.\05O\06R\05S<\06\03x.\05\c6\01\06\fa\05\a1\01\06t\05\b4\01\c8\05\9f\01\06X\05\a1\01\06X\05\b4\01J\05\9f\01\06X\05\a1\01\06X\05\b4\01J\05\9f\01\06X\05\a1\01\06 \05\b4\01\c8\05\9f\01\06X\05\a1\01\06X\05\b4\01J\05\9f\01\06X\05\a1\01\06X\05\b4\01J\05\9f\01\06X\05\a1\01\06 \05\b4\01\c8\05\9f\01\06X\05\a1\01\06X\05\b4\01J\05\9f\01\06X\05\a1\01\06 \05\b4\01X\05\9f\01\06Xt       \05\c6\01 \06\03x<\05`\06R\06\03x<R\05S\06 J\05>.\05K\08\ac\05>X.\05\cc\01.\02\01\00\01\01")
  (@custom "name" "\00\0d\0cc-nests.wasm\01/\06\00\06matmul\01\04gemm\02\07qmatmul\03\07matmult\04\05dense\05\05conv3\07\12\01\00\0f__stack_pointer")
  (@custom "producers" "\02\08language\01\03C11\00\0cprocessed-by\01\05clang\0622.1.8")
)
