(module
  (type (;0;) (func (param i32 i32) (result i32)))
  (type (;1;) (func (param i32 i32 i32) (result i32)))
  (type (;2;) (func (param i32 i32 i32)))
  (type (;3;) (func (param i32 i32 i32 i32 i32)))
  (type (;4;) (func (param i32 i32) (result f32)))
  (type (;5;) (func (param i32 i32 i32 i32)))
  (type (;6;) (func (param i32 i32 i32 f32 i32)))
  (type (;7;) (func (param i32)))
  (type (;8;) (func (param i32 i32)))
  (type (;9;) (func (param i32) (result i64)))
  (type (;10;) (func))
  (type (;11;) (func (param i32) (result i32)))
  (func (;0;) (type 2) (param i32 i32 i32)
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
  (func (;1;) (type 2) (param i32 i32 i32)
    (local i32 i32 i32 i32 i32 i32)
    block  ;; label = @1
      block  ;; label = @2
        block  ;; label = @3
          block  ;; label = @4
            local.get 2
            i32.eqz
            br_if 0 (;@4;)
            local.get 2
            i32.const 3
            i32.mul
            local.set 3
            i32.const 0
            local.set 4
            i32.const 0
            local.set 5
            loop  ;; label = @5
              local.get 4
              local.get 3
              i32.ge_u
              br_if 2 (;@3;)
              block  ;; label = @6
                local.get 3
                local.get 5
                i32.ne
                br_if 0 (;@6;)
                local.get 3
                local.set 5
                br 5 (;@1;)
              end
              local.get 1
              local.get 5
              i32.add
              local.get 0
              local.get 4
              i32.add
              i32.load8_u
              i32.store8
              local.get 4
              i32.const 3
              i32.add
              local.set 4
              local.get 5
              i32.const 1
              i32.add
              local.tee 6
              local.set 5
              local.get 2
              local.get 6
              i32.ne
              br_if 0 (;@5;)
            end
            i32.const 0
            local.set 5
            i32.const 0
            local.get 3
            local.get 2
            i32.sub
            local.tee 4
            local.get 4
            local.get 3
            i32.gt_u
            select
            local.set 7
            local.get 1
            local.get 2
            i32.add
            local.set 8
            i32.const 1
            local.set 4
            loop  ;; label = @5
              local.get 4
              local.get 3
              i32.ge_u
              br_if 2 (;@3;)
              local.get 7
              local.get 5
              i32.eq
              br_if 3 (;@2;)
              local.get 8
              local.get 5
              i32.add
              local.get 0
              local.get 4
              i32.add
              i32.load8_u
              i32.store8
              local.get 4
              i32.const 3
              i32.add
              local.set 4
              local.get 5
              i32.const 1
              i32.add
              local.tee 6
              local.set 5
              local.get 2
              local.get 6
              i32.ne
              br_if 0 (;@5;)
            end
            local.get 3
            local.get 2
            i32.const 1
            i32.shl
            local.tee 5
            local.get 3
            local.get 5
            i32.lt_u
            select
            local.get 3
            i32.sub
            local.set 6
            i32.const 2
            local.set 4
            loop  ;; label = @5
              local.get 4
              local.get 3
              i32.ge_u
              br_if 2 (;@3;)
              local.get 6
              i32.eqz
              br_if 4 (;@1;)
              local.get 1
              local.get 5
              i32.add
              local.get 0
              local.get 4
              i32.add
              i32.load8_u
              i32.store8
              local.get 4
              i32.const 3
              i32.add
              local.set 4
              local.get 5
              i32.const 1
              i32.add
              local.set 5
              local.get 6
              i32.const 1
              i32.add
              local.set 6
              local.get 2
              i32.const -1
              i32.add
              local.tee 2
              br_if 0 (;@5;)
            end
          end
          return
        end
        local.get 4
        local.get 3
        i32.const 1048580
        call 2
        unreachable
      end
      local.get 2
      local.get 5
      i32.add
      local.set 5
    end
    local.get 5
    local.get 3
    i32.const 1048596
    call 2
    unreachable
  )
  (func (;2;) (type 2) (param i32 i32 i32)
    (local i32)
    global.get 0
    i32.const 48
    i32.sub
    local.tee 3
    global.set 0
    local.get 3
    local.get 1
    i32.store offset=4
    local.get 3
    local.get 0
    i32.store
    local.get 3
    i32.const 28
    i32.add
    i32.const 2
    i32.store
    local.get 3
    i32.const 44
    i32.add
    i32.const 1
    i32.store
    local.get 3
    i64.const 2
    i64.store offset=12 align=4
    local.get 3
    i32.const 1048760
    i32.store offset=8
    local.get 3
    i32.const 1
    i32.store offset=36
    local.get 3
    local.get 3
    i32.const 32
    i32.add
    i32.store offset=24
    local.get 3
    local.get 3
    i32.store offset=40
    local.get 3
    local.get 3
    i32.const 4
    i32.add
    i32.store offset=32
    local.get 3
    i32.const 8
    i32.add
    local.get 2
    call 16
    unreachable
  )
  (func (;3;) (type 2) (param i32 i32 i32)
    (local i32 i32 i32 i32 i32 i32 i32 i32)
    block  ;; label = @1
      block  ;; label = @2
        block  ;; label = @3
          block  ;; label = @4
            block  ;; label = @5
              block  ;; label = @6
                local.get 2
                i32.eqz
                br_if 0 (;@6;)
                i32.const 0
                local.set 3
                i32.const 0
                local.get 2
                i32.const 3
                i32.mul
                local.tee 4
                local.get 2
                i32.sub
                local.tee 5
                local.get 5
                local.get 4
                i32.gt_u
                select
                local.set 6
                i32.const 0
                local.get 4
                local.get 2
                i32.const 1
                i32.shl
                local.tee 7
                i32.sub
                local.tee 5
                local.get 5
                local.get 4
                i32.gt_u
                select
                local.set 8
                local.get 2
                i32.const 2
                i32.shl
                local.set 9
                local.get 2
                i32.const 3
                i32.shl
                local.set 10
                i32.const 1
                local.set 5
                loop  ;; label = @7
                  block  ;; label = @8
                    local.get 4
                    local.get 3
                    i32.ne
                    br_if 0 (;@8;)
                    local.get 4
                    local.set 0
                    br 7 (;@1;)
                  end
                  block  ;; label = @8
                    local.get 5
                    i32.const -1
                    i32.add
                    local.get 4
                    i32.lt_u
                    br_if 0 (;@8;)
                    local.get 5
                    i32.const -1
                    i32.add
                    local.set 5
                    br 4 (;@4;)
                  end
                  local.get 1
                  local.get 0
                  f32.load
                  f32.store
                  local.get 6
                  local.get 3
                  i32.eq
                  br_if 5 (;@2;)
                  local.get 5
                  local.get 4
                  i32.ge_u
                  br_if 3 (;@4;)
                  local.get 1
                  i32.const 4
                  i32.add
                  local.get 0
                  local.get 9
                  i32.add
                  f32.load
                  f32.store
                  local.get 8
                  local.get 3
                  i32.eq
                  br_if 4 (;@3;)
                  local.get 5
                  i32.const 1
                  i32.add
                  local.get 4
                  i32.ge_u
                  br_if 2 (;@5;)
                  local.get 1
                  i32.const 8
                  i32.add
                  local.get 0
                  local.get 10
                  i32.add
                  f32.load
                  f32.store
                  local.get 5
                  i32.const 3
                  i32.add
                  local.set 5
                  local.get 1
                  i32.const 12
                  i32.add
                  local.set 1
                  local.get 0
                  i32.const 4
                  i32.add
                  local.set 0
                  local.get 2
                  local.get 3
                  i32.const 1
                  i32.add
                  local.tee 3
                  i32.ne
                  br_if 0 (;@7;)
                end
              end
              return
            end
            local.get 5
            i32.const 1
            i32.add
            local.set 5
          end
          local.get 5
          local.get 4
          i32.const 1048628
          call 2
          unreachable
        end
        local.get 7
        local.get 3
        i32.add
        local.set 0
        br 1 (;@1;)
      end
      local.get 2
      local.get 3
      i32.add
      local.set 0
    end
    local.get 0
    local.get 4
    i32.const 1048612
    call 2
    unreachable
  )
  (func (;4;) (type 3) (param i32 i32 i32 i32 i32)
    (local i32 i32 i32 i32 i32 i32 i32)
    block  ;; label = @1
      block  ;; label = @2
        block  ;; label = @3
          block  ;; label = @4
            local.get 4
            i32.eqz
            br_if 0 (;@4;)
            local.get 4
            i32.const 3
            i32.mul
            local.set 5
            i32.const 0
            local.set 6
            loop  ;; label = @5
              local.get 6
              local.get 5
              i32.ge_u
              br_if 3 (;@2;)
              local.get 1
              i32.load8_u
              local.set 7
              local.get 3
              local.get 6
              i32.add
              local.tee 8
              local.get 0
              i32.load8_u
              i32.const 16
              i32.shl
              i32.const 32768
              i32.or
              local.tee 9
              local.get 2
              i32.load8_u
              i32.const -128
              i32.add
              local.tee 10
              i32.const 91881
              i32.mul
              i32.add
              i32.const 16
              i32.shr_s
              local.tee 11
              i32.const 255
              local.get 11
              i32.const 255
              i32.lt_s
              select
              local.tee 11
              i32.const 0
              local.get 11
              i32.const 0
              i32.gt_s
              select
              i32.store8
              local.get 6
              i32.const 1
              i32.add
              local.get 5
              i32.ge_u
              br_if 4 (;@1;)
              local.get 8
              i32.const 1
              i32.add
              local.get 9
              local.get 7
              i32.const -128
              i32.add
              local.tee 7
              i32.const -22554
              i32.mul
              i32.add
              local.get 10
              i32.const -46802
              i32.mul
              i32.add
              i32.const 16
              i32.shr_s
              local.tee 11
              i32.const 255
              local.get 11
              i32.const 255
              i32.lt_s
              select
              local.tee 11
              i32.const 0
              local.get 11
              i32.const 0
              i32.gt_s
              select
              i32.store8
              local.get 6
              i32.const 2
              i32.add
              local.get 5
              i32.ge_u
              br_if 2 (;@3;)
              local.get 8
              i32.const 2
              i32.add
              local.get 9
              local.get 7
              i32.const 116130
              i32.mul
              i32.add
              i32.const 16
              i32.shr_s
              local.tee 8
              i32.const 255
              local.get 8
              i32.const 255
              i32.lt_s
              select
              local.tee 8
              i32.const 0
              local.get 8
              i32.const 0
              i32.gt_s
              select
              i32.store8
              local.get 2
              i32.const 1
              i32.add
              local.set 2
              local.get 1
              i32.const 1
              i32.add
              local.set 1
              local.get 0
              i32.const 1
              i32.add
              local.set 0
              local.get 6
              i32.const 3
              i32.add
              local.set 6
              local.get 4
              i32.const -1
              i32.add
              local.tee 4
              br_if 0 (;@5;)
            end
          end
          return
        end
        local.get 6
        i32.const 2
        i32.add
        local.get 5
        i32.const 1048676
        call 2
        unreachable
      end
      local.get 6
      local.get 5
      i32.const 1048644
      call 2
      unreachable
    end
    local.get 6
    i32.const 1
    i32.add
    local.get 5
    i32.const 1048660
    call 2
    unreachable
  )
  (func (;5;) (type 0) (param i32 i32) (result i32)
    (local i32 i32 f32 i32 f32 i32 f32)
    block  ;; label = @1
      local.get 1
      br_if 0 (;@1;)
      i32.const 0
      return
    end
    local.get 1
    i32.const -1
    i32.add
    i32.const 1073741823
    i32.and
    local.tee 1
    i32.const 1
    i32.add
    local.tee 2
    i32.const 3
    i32.and
    local.set 3
    block  ;; label = @1
      block  ;; label = @2
        local.get 1
        i32.const 3
        i32.ge_u
        br_if 0 (;@2;)
        f32.const -3.4028235e+38
        local.set 4
        i32.const 0
        local.set 2
        i32.const 0
        local.set 1
        br 1 (;@1;)
      end
      local.get 2
      i32.const 2147483644
      i32.and
      local.set 5
      f32.const -3.4028235e+38
      local.set 4
      i32.const 0
      local.set 2
      i32.const 0
      local.set 1
      loop  ;; label = @2
        local.get 1
        i32.const 3
        i32.add
        local.get 1
        i32.const 2
        i32.add
        local.get 1
        i32.const 1
        i32.add
        local.get 1
        local.get 2
        local.get 0
        f32.load
        local.tee 6
        local.get 4
        f32.gt
        local.tee 7
        select
        local.get 0
        i32.const 4
        i32.add
        f32.load
        local.tee 8
        local.get 6
        local.get 4
        local.get 7
        select
        local.tee 4
        f32.gt
        local.tee 2
        select
        local.get 0
        i32.const 8
        i32.add
        f32.load
        local.tee 6
        local.get 8
        local.get 4
        local.get 2
        select
        local.tee 4
        f32.gt
        local.tee 2
        select
        local.get 0
        i32.const 12
        i32.add
        f32.load
        local.tee 8
        local.get 6
        local.get 4
        local.get 2
        select
        local.tee 4
        f32.gt
        local.tee 7
        select
        local.set 2
        local.get 8
        local.get 4
        local.get 7
        select
        local.set 4
        local.get 0
        i32.const 16
        i32.add
        local.set 0
        local.get 1
        i32.const 4
        i32.add
        local.tee 1
        local.get 5
        i32.ne
        br_if 0 (;@2;)
      end
    end
    block  ;; label = @1
      local.get 3
      i32.eqz
      br_if 0 (;@1;)
      loop  ;; label = @2
        local.get 1
        local.get 2
        local.get 0
        f32.load
        local.tee 6
        local.get 4
        f32.gt
        local.tee 7
        select
        local.set 2
        local.get 6
        local.get 4
        local.get 7
        select
        local.set 4
        local.get 0
        i32.const 4
        i32.add
        local.set 0
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
  (func (;6;) (type 0) (param i32 i32) (result i32)
    (local i32 i32 i32 i32 i32)
    block  ;; label = @1
      local.get 1
      br_if 0 (;@1;)
      i32.const 0
      return
    end
    local.get 0
    i32.const -1
    i32.xor
    local.get 0
    local.get 1
    i32.add
    local.tee 2
    i32.add
    local.set 3
    i32.const 0
    local.set 4
    block  ;; label = @1
      local.get 1
      i32.const 7
      i32.and
      local.tee 5
      i32.eqz
      br_if 0 (;@1;)
      local.get 5
      local.set 6
      local.get 0
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
        local.get 6
        i32.const -1
        i32.add
        local.tee 6
        br_if 0 (;@2;)
      end
      local.get 0
      local.get 5
      i32.add
      local.set 0
    end
    block  ;; label = @1
      local.get 3
      i32.const 7
      i32.lt_u
      br_if 0 (;@1;)
      loop  ;; label = @2
        local.get 4
        local.get 0
        i32.load8_u
        i32.add
        local.get 0
        i32.const 1
        i32.add
        i32.load8_u
        i32.add
        local.get 0
        i32.const 2
        i32.add
        i32.load8_u
        i32.add
        local.get 0
        i32.const 3
        i32.add
        i32.load8_u
        i32.add
        local.get 0
        i32.const 4
        i32.add
        i32.load8_u
        i32.add
        local.get 0
        i32.const 5
        i32.add
        i32.load8_u
        i32.add
        local.get 0
        i32.const 6
        i32.add
        i32.load8_u
        i32.add
        local.get 0
        i32.const 7
        i32.add
        i32.load8_u
        i32.add
        local.set 4
        local.get 0
        i32.const 8
        i32.add
        local.tee 0
        local.get 2
        i32.ne
        br_if 0 (;@2;)
      end
    end
    local.get 4
  )
  (func (;7;) (type 4) (param i32 i32) (result f32)
    (local i32 f32 i32 i32 i32)
    block  ;; label = @1
      local.get 1
      br_if 0 (;@1;)
      f32.const 0
      return
    end
    local.get 1
    i32.const -1
    i32.add
    i32.const 1073741823
    i32.and
    local.set 2
    f32.const 0
    local.set 3
    block  ;; label = @1
      block  ;; label = @2
        local.get 1
        i32.const 7
        i32.and
        local.tee 4
        br_if 0 (;@2;)
        local.get 0
        local.set 5
        br 1 (;@1;)
      end
      local.get 0
      local.set 6
      loop  ;; label = @2
        local.get 3
        local.get 6
        f32.load
        f32.add
        local.set 3
        local.get 6
        i32.const 4
        i32.add
        local.tee 5
        local.set 6
        local.get 4
        i32.const -1
        i32.add
        local.tee 4
        br_if 0 (;@2;)
      end
    end
    block  ;; label = @1
      local.get 2
      i32.const 7
      i32.lt_u
      br_if 0 (;@1;)
      local.get 0
      local.get 1
      i32.const 2
      i32.shl
      i32.add
      local.set 6
      loop  ;; label = @2
        local.get 3
        local.get 5
        f32.load
        f32.add
        local.get 5
        i32.const 4
        i32.add
        f32.load
        f32.add
        local.get 5
        i32.const 8
        i32.add
        f32.load
        f32.add
        local.get 5
        i32.const 12
        i32.add
        f32.load
        f32.add
        local.get 5
        i32.const 16
        i32.add
        f32.load
        f32.add
        local.get 5
        i32.const 20
        i32.add
        f32.load
        f32.add
        local.get 5
        i32.const 24
        i32.add
        f32.load
        f32.add
        local.get 5
        i32.const 28
        i32.add
        f32.load
        f32.add
        local.set 3
        local.get 5
        i32.const 32
        i32.add
        local.tee 5
        local.get 6
        i32.ne
        br_if 0 (;@2;)
      end
    end
    local.get 3
  )
  (func (;8;) (type 5) (param i32 i32 i32 i32)
    (local i32 i32 i32)
    block  ;; label = @1
      local.get 2
      i32.eqz
      br_if 0 (;@1;)
      local.get 2
      i32.const -1
      i32.add
      local.set 4
      block  ;; label = @2
        block  ;; label = @3
          local.get 2
          i32.const 3
          i32.and
          local.tee 5
          br_if 0 (;@3;)
          i32.const 0
          local.set 6
          br 1 (;@2;)
        end
        i32.const 0
        local.set 6
        loop  ;; label = @3
          local.get 1
          local.get 6
          i32.add
          i32.const -1
          i32.const 0
          local.get 0
          local.get 6
          i32.add
          i32.load8_u
          local.get 3
          i32.gt_s
          select
          i32.store8
          local.get 5
          local.get 6
          i32.const 1
          i32.add
          local.tee 6
          i32.ne
          br_if 0 (;@3;)
        end
      end
      local.get 4
      i32.const 3
      i32.lt_u
      br_if 0 (;@1;)
      loop  ;; label = @2
        local.get 1
        local.get 6
        i32.add
        local.tee 5
        i32.const -1
        i32.const 0
        local.get 0
        local.get 6
        i32.add
        local.tee 4
        i32.load8_u
        local.get 3
        i32.gt_s
        select
        i32.store8
        local.get 5
        i32.const 1
        i32.add
        i32.const -1
        i32.const 0
        local.get 4
        i32.const 1
        i32.add
        i32.load8_u
        local.get 3
        i32.gt_s
        select
        i32.store8
        local.get 5
        i32.const 2
        i32.add
        i32.const -1
        i32.const 0
        local.get 4
        i32.const 2
        i32.add
        i32.load8_u
        local.get 3
        i32.gt_s
        select
        i32.store8
        local.get 5
        i32.const 3
        i32.add
        i32.const -1
        i32.const 0
        local.get 4
        i32.const 3
        i32.add
        i32.load8_u
        local.get 3
        i32.gt_s
        select
        i32.store8
        local.get 0
        i32.const 4
        i32.add
        local.set 0
        local.get 1
        i32.const 4
        i32.add
        local.set 1
        local.get 6
        local.get 2
        i32.const -4
        i32.add
        local.tee 2
        i32.ne
        br_if 0 (;@2;)
      end
    end
  )
  (func (;9;) (type 3) (param i32 i32 i32 i32 i32)
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
        local.get 0
        i32.load8_u
        local.get 4
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
        local.get 1
        i32.const 1
        i32.add
        local.set 1
        local.get 0
        i32.const 1
        i32.add
        local.set 0
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
  (func (;10;) (type 6) (param i32 i32 i32 f32 i32)
    (local f32 i32 i32)
    block  ;; label = @1
      local.get 2
      i32.eqz
      br_if 0 (;@1;)
      loop  ;; label = @2
        local.get 0
        f32.load
        local.get 3
        f32.div
        local.tee 5
        f32.const -2.1474836e+09
        f32.ge
        local.set 6
        block  ;; label = @3
          block  ;; label = @4
            local.get 5
            f32.abs
            f32.const 2.1474836e+09
            f32.lt
            i32.eqz
            br_if 0 (;@4;)
            local.get 5
            i32.trunc_f32_s
            local.set 7
            br 1 (;@3;)
          end
          i32.const -2147483648
          local.set 7
        end
        local.get 1
        i32.const 0
        i32.const 2147483647
        local.get 7
        i32.const -2147483648
        local.get 6
        select
        local.get 5
        f32.const 2.1474835e+09
        f32.gt
        select
        local.get 5
        local.get 5
        f32.ne
        select
        local.get 4
        i32.add
        local.tee 6
        i32.const 255
        local.get 6
        i32.const 255
        i32.lt_s
        select
        local.tee 6
        i32.const 0
        local.get 6
        i32.const 0
        i32.gt_s
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
  (func (;11;) (type 6) (param i32 i32 i32 f32 i32)
    (local i32 i32)
    block  ;; label = @1
      local.get 2
      i32.eqz
      br_if 0 (;@1;)
      i32.const 0
      local.set 5
      block  ;; label = @2
        local.get 2
        i32.const 1
        i32.and
        i32.eqz
        br_if 0 (;@2;)
        local.get 1
        local.get 0
        i32.load8_u
        local.get 4
        i32.sub
        f32.convert_i32_s
        local.get 3
        f32.mul
        f32.store
        i32.const 1
        local.set 5
      end
      local.get 2
      i32.const 1
      i32.eq
      br_if 0 (;@1;)
      local.get 0
      local.get 5
      i32.add
      local.set 0
      local.get 2
      local.get 5
      i32.sub
      local.set 6
      local.get 1
      local.get 5
      i32.const 2
      i32.shl
      i32.add
      local.set 2
      loop  ;; label = @2
        local.get 2
        local.get 0
        i32.load8_u
        local.get 4
        i32.sub
        f32.convert_i32_s
        local.get 3
        f32.mul
        f32.store
        local.get 2
        i32.const 4
        i32.add
        local.get 0
        i32.const 1
        i32.add
        i32.load8_u
        local.get 4
        i32.sub
        f32.convert_i32_s
        local.get 3
        f32.mul
        f32.store
        local.get 0
        i32.const 2
        i32.add
        local.set 0
        local.get 2
        i32.const 8
        i32.add
        local.set 2
        local.get 6
        i32.const -2
        i32.add
        local.tee 6
        br_if 0 (;@2;)
      end
    end
  )
  (func (;12;) (type 5) (param i32 i32 i32 i32)
    (local i32 i32 i32)
    block  ;; label = @1
      local.get 3
      i32.eqz
      br_if 0 (;@1;)
      local.get 3
      i32.const -1
      i32.add
      local.set 4
      i32.const 0
      local.set 5
      block  ;; label = @2
        local.get 3
        i32.const 3
        i32.and
        local.tee 6
        i32.eqz
        br_if 0 (;@2;)
        loop  ;; label = @3
          local.get 1
          local.get 5
          i32.add
          local.get 2
          local.get 0
          local.get 5
          i32.add
          i32.load8_u
          i32.add
          i32.load8_u
          i32.store8
          local.get 6
          local.get 5
          i32.const 1
          i32.add
          local.tee 5
          i32.ne
          br_if 0 (;@3;)
        end
      end
      local.get 4
      i32.const 3
      i32.lt_u
      br_if 0 (;@1;)
      loop  ;; label = @2
        local.get 1
        local.get 5
        i32.add
        local.tee 6
        local.get 2
        local.get 0
        local.get 5
        i32.add
        local.tee 4
        i32.load8_u
        i32.add
        i32.load8_u
        i32.store8
        local.get 6
        i32.const 1
        i32.add
        local.get 2
        local.get 4
        i32.const 1
        i32.add
        i32.load8_u
        i32.add
        i32.load8_u
        i32.store8
        local.get 6
        i32.const 2
        i32.add
        local.get 2
        local.get 4
        i32.const 2
        i32.add
        i32.load8_u
        i32.add
        i32.load8_u
        i32.store8
        local.get 6
        i32.const 3
        i32.add
        local.get 2
        local.get 4
        i32.const 3
        i32.add
        i32.load8_u
        i32.add
        i32.load8_u
        i32.store8
        local.get 0
        i32.const 4
        i32.add
        local.set 0
        local.get 1
        i32.const 4
        i32.add
        local.set 1
        local.get 5
        local.get 3
        i32.const -4
        i32.add
        local.tee 3
        i32.ne
        br_if 0 (;@2;)
      end
    end
  )
  (func (;13;) (type 1) (param i32 i32 i32) (result i32)
    (local i32)
    block  ;; label = @1
      block  ;; label = @2
        block  ;; label = @3
          local.get 1
          i32.const 1114112
          i32.eq
          br_if 0 (;@3;)
          i32.const 1
          local.set 3
          local.get 0
          i32.load offset=24
          local.get 1
          local.get 0
          i32.const 28
          i32.add
          i32.load
          i32.load offset=16
          call_indirect (type 0) (param i32 i32) (result i32)
          br_if 1 (;@2;)
        end
        local.get 2
        br_if 1 (;@1;)
        i32.const 0
        local.set 3
      end
      local.get 3
      return
    end
    local.get 0
    i32.load offset=24
    local.get 2
    i32.const 0
    local.get 0
    i32.const 28
    i32.add
    i32.load
    i32.load offset=12
    call_indirect (type 1) (param i32 i32 i32) (result i32)
  )
  (func (;14;) (type 7) (param i32))
  (func (;15;) (type 0) (param i32 i32) (result i32)
    (local i32 i32 i64 i64 i32 i32 i32 i32 i32 i32 i32 i32 i32)
    global.get 0
    i32.const 48
    i32.sub
    local.tee 2
    global.set 0
    i32.const 39
    local.set 3
    block  ;; label = @1
      block  ;; label = @2
        local.get 0
        i64.load32_u
        local.tee 4
        i64.const 10000
        i64.ge_u
        br_if 0 (;@2;)
        local.get 4
        local.set 5
        br 1 (;@1;)
      end
      i32.const 39
      local.set 3
      loop  ;; label = @2
        local.get 2
        i32.const 9
        i32.add
        local.get 3
        i32.add
        local.tee 0
        i32.const -4
        i32.add
        local.get 4
        i64.const 10000
        i64.div_u
        local.tee 5
        i64.const -10000
        i64.mul
        local.get 4
        i64.add
        i32.wrap_i64
        local.tee 6
        i32.const 65535
        i32.and
        i32.const 100
        i32.div_u
        local.tee 7
        i32.const 1
        i32.shl
        i32.const 1048776
        i32.add
        i32.load16_u align=1
        i32.store16 align=1
        local.get 0
        i32.const -2
        i32.add
        local.get 7
        i32.const -100
        i32.mul
        local.get 6
        i32.add
        i32.const 65535
        i32.and
        i32.const 1
        i32.shl
        i32.const 1048776
        i32.add
        i32.load16_u align=1
        i32.store16 align=1
        local.get 3
        i32.const -4
        i32.add
        local.set 3
        local.get 4
        i64.const 99999999
        i64.gt_u
        local.set 0
        local.get 5
        local.set 4
        local.get 0
        br_if 0 (;@2;)
      end
    end
    block  ;; label = @1
      local.get 5
      i32.wrap_i64
      local.tee 0
      i32.const 99
      i32.le_u
      br_if 0 (;@1;)
      local.get 2
      i32.const 9
      i32.add
      local.get 3
      i32.const -2
      i32.add
      local.tee 3
      i32.add
      local.get 5
      i32.wrap_i64
      local.tee 6
      i32.const 65535
      i32.and
      i32.const 100
      i32.div_u
      local.tee 0
      i32.const -100
      i32.mul
      local.get 6
      i32.add
      i32.const 65535
      i32.and
      i32.const 1
      i32.shl
      i32.const 1048776
      i32.add
      i32.load16_u align=1
      i32.store16 align=1
    end
    block  ;; label = @1
      block  ;; label = @2
        local.get 0
        i32.const 10
        i32.lt_u
        br_if 0 (;@2;)
        local.get 2
        i32.const 9
        i32.add
        local.get 3
        i32.const -2
        i32.add
        local.tee 3
        i32.add
        local.get 0
        i32.const 1
        i32.shl
        i32.const 1048776
        i32.add
        i32.load16_u align=1
        i32.store16 align=1
        br 1 (;@1;)
      end
      local.get 2
      i32.const 9
      i32.add
      local.get 3
      i32.const -1
      i32.add
      local.tee 3
      i32.add
      local.get 0
      i32.const 48
      i32.add
      i32.store8
    end
    i32.const 39
    local.get 3
    i32.sub
    local.set 8
    i32.const 1
    local.set 0
    i32.const 43
    i32.const 1114112
    local.get 1
    i32.load
    local.tee 6
    i32.const 1
    i32.and
    local.tee 7
    select
    local.set 9
    local.get 6
    i32.const 29
    i32.shl
    i32.const 31
    i32.shr_s
    i32.const 1049064
    i32.and
    local.set 10
    local.get 2
    i32.const 9
    i32.add
    local.get 3
    i32.add
    local.set 11
    block  ;; label = @1
      block  ;; label = @2
        local.get 1
        i32.load offset=8
        br_if 0 (;@2;)
        local.get 1
        local.get 9
        local.get 10
        call 13
        br_if 1 (;@1;)
        local.get 1
        i32.load offset=24
        local.get 11
        local.get 8
        local.get 1
        i32.const 28
        i32.add
        i32.load
        i32.load offset=12
        call_indirect (type 1) (param i32 i32 i32) (result i32)
        local.set 0
        br 1 (;@1;)
      end
      block  ;; label = @2
        block  ;; label = @3
          block  ;; label = @4
            block  ;; label = @5
              block  ;; label = @6
                local.get 1
                i32.const 12
                i32.add
                i32.load
                local.tee 12
                local.get 8
                local.get 7
                i32.add
                local.tee 0
                i32.le_u
                br_if 0 (;@6;)
                local.get 6
                i32.const 8
                i32.and
                br_if 4 (;@2;)
                i32.const 0
                local.set 3
                local.get 12
                local.get 0
                i32.sub
                local.tee 6
                local.set 13
                i32.const 1
                local.get 1
                i32.load8_u offset=32
                local.tee 0
                local.get 0
                i32.const 3
                i32.eq
                select
                i32.const 3
                i32.and
                br_table 3 1 2 3
              end
              i32.const 1
              local.set 0
              local.get 1
              local.get 9
              local.get 10
              call 13
              br_if 4 (;@1;)
              local.get 1
              i32.load offset=24
              local.get 11
              local.get 8
              local.get 1
              i32.const 28
              i32.add
              i32.load
              i32.load offset=12
              call_indirect (type 1) (param i32 i32 i32) (result i32)
              local.set 0
              br 4 (;@1;)
            end
            i32.const 0
            local.set 13
            local.get 6
            local.set 3
            br 1 (;@3;)
          end
          local.get 6
          i32.const 1
          i32.shr_u
          local.set 3
          local.get 6
          i32.const 1
          i32.add
          i32.const 1
          i32.shr_u
          local.set 13
        end
        local.get 3
        i32.const 1
        i32.add
        local.set 3
        local.get 1
        i32.const 28
        i32.add
        i32.load
        local.set 7
        local.get 1
        i32.load offset=4
        local.set 6
        local.get 1
        i32.load offset=24
        local.set 12
        block  ;; label = @3
          loop  ;; label = @4
            local.get 3
            i32.const -1
            i32.add
            local.tee 3
            i32.eqz
            br_if 1 (;@3;)
            local.get 12
            local.get 6
            local.get 7
            i32.load offset=16
            call_indirect (type 0) (param i32 i32) (result i32)
            i32.eqz
            br_if 0 (;@4;)
          end
          i32.const 1
          local.set 0
          br 2 (;@1;)
        end
        i32.const 1
        local.set 0
        local.get 6
        i32.const 1114112
        i32.eq
        br_if 1 (;@1;)
        local.get 1
        local.get 9
        local.get 10
        call 13
        br_if 1 (;@1;)
        local.get 12
        local.get 11
        local.get 8
        local.get 7
        i32.load offset=12
        call_indirect (type 1) (param i32 i32 i32) (result i32)
        br_if 1 (;@1;)
        i32.const 0
        local.set 3
        block  ;; label = @3
          loop  ;; label = @4
            block  ;; label = @5
              local.get 13
              local.get 3
              i32.ne
              br_if 0 (;@5;)
              local.get 13
              local.set 3
              br 2 (;@3;)
            end
            local.get 3
            i32.const 1
            i32.add
            local.set 3
            local.get 12
            local.get 6
            local.get 7
            i32.load offset=16
            call_indirect (type 0) (param i32 i32) (result i32)
            i32.eqz
            br_if 0 (;@4;)
          end
          local.get 3
          i32.const -1
          i32.add
          local.set 3
        end
        local.get 3
        local.get 13
        i32.lt_u
        local.set 0
        br 1 (;@1;)
      end
      local.get 1
      i32.load offset=4
      local.set 13
      local.get 1
      i32.const 48
      i32.store offset=4
      local.get 1
      i32.load8_u offset=32
      local.set 14
      i32.const 1
      local.set 0
      local.get 1
      i32.const 1
      i32.store8 offset=32
      local.get 1
      local.get 9
      local.get 10
      call 13
      br_if 0 (;@1;)
      local.get 3
      local.get 12
      i32.add
      local.get 7
      i32.sub
      i32.const -38
      i32.add
      local.set 3
      local.get 1
      i32.const 28
      i32.add
      i32.load
      local.set 6
      local.get 1
      i32.load offset=24
      local.set 7
      block  ;; label = @2
        loop  ;; label = @3
          local.get 3
          i32.const -1
          i32.add
          local.tee 3
          i32.eqz
          br_if 1 (;@2;)
          local.get 7
          i32.const 48
          local.get 6
          i32.load offset=16
          call_indirect (type 0) (param i32 i32) (result i32)
          i32.eqz
          br_if 0 (;@3;)
          br 2 (;@1;)
        end
      end
      local.get 7
      local.get 11
      local.get 8
      local.get 6
      i32.load offset=12
      call_indirect (type 1) (param i32 i32 i32) (result i32)
      br_if 0 (;@1;)
      local.get 1
      local.get 14
      i32.store8 offset=32
      local.get 1
      local.get 13
      i32.store offset=4
      i32.const 0
      local.set 0
    end
    local.get 2
    i32.const 48
    i32.add
    global.set 0
    local.get 0
  )
  (func (;16;) (type 8) (param i32 i32)
    (local i32)
    global.get 0
    i32.const 32
    i32.sub
    local.tee 2
    global.set 0
    local.get 2
    i32.const 1
    i32.store8 offset=24
    local.get 2
    local.get 1
    i32.store offset=20
    local.get 2
    local.get 0
    i32.store offset=16
    local.get 2
    i32.const 1048692
    i32.store offset=12
    local.get 2
    i32.const 1049064
    i32.store offset=8
    local.get 2
    i32.const 8
    i32.add
    call 17
    unreachable
  )
  (func (;17;) (type 7) (param i32)
    local.get 0
    i32.load offset=8
    call 20
    local.get 0
    call 21
    unreachable
  )
  (func (;18;) (type 9) (param i32) (result i64)
    i64.const 8821726909076344000
  )
  (func (;19;) (type 10)
    (local i32)
    global.get 0
    i32.const 32
    i32.sub
    local.tee 0
    global.set 0
    local.get 0
    i32.const 20
    i32.add
    i32.const 0
    i32.store
    local.get 0
    i32.const 1049064
    i32.store offset=16
    local.get 0
    i64.const 1
    i64.store offset=4 align=4
    local.get 0
    i32.const 43
    i32.store offset=28
    local.get 0
    i32.const 1048976
    i32.store offset=24
    local.get 0
    local.get 0
    i32.const 24
    i32.add
    i32.store
    local.get 0
    i32.const 1049048
    call 16
    unreachable
  )
  (func (;20;) (type 11) (param i32) (result i32)
    block  ;; label = @1
      local.get 0
      br_if 0 (;@1;)
      call 19
      unreachable
    end
    local.get 0
  )
  (func (;21;) (type 8) (param i32 i32)
    local.get 0
    local.get 1
    call 24
    unreachable
  )
  (func (;22;) (type 7) (param i32)
    (local i32 i32)
    i32.const 0
    i32.const 0
    i32.load offset=1049072
    local.tee 1
    i32.const 1
    i32.add
    i32.store offset=1049072
    i32.const 0
    i32.const 0
    i32.load offset=1049068
    i32.const 1
    i32.add
    local.tee 2
    i32.store offset=1049068
    block  ;; label = @1
      local.get 1
      i32.const 0
      i32.lt_s
      br_if 0 (;@1;)
      local.get 2
      i32.const 2
      i32.gt_u
      br_if 0 (;@1;)
      i32.const 0
      i32.load offset=1049064
      i32.const -1
      i32.le_s
      br_if 0 (;@1;)
      local.get 2
      i32.const 1
      i32.gt_u
      br_if 0 (;@1;)
      local.get 0
      i32.eqz
      br_if 0 (;@1;)
      call 23
      unreachable
    end
    unreachable
    unreachable
  )
  (func (;23;) (type 10)
    unreachable
    unreachable
  )
  (func (;24;) (type 8) (param i32 i32)
    (local i32)
    local.get 0
    i32.const 20
    i32.add
    i32.load
    local.set 2
    block  ;; label = @1
      block  ;; label = @2
        local.get 0
        i32.const 4
        i32.add
        i32.load
        br_table 0 0 1
      end
      local.get 2
      br_if 0 (;@1;)
      local.get 1
      i32.load8_u offset=16
      call 22
      unreachable
    end
    local.get 1
    i32.load8_u offset=16
    call 22
    unreachable
  )
  (table (;0;) 4 4 funcref)
  (memory (;0;) 256)
  (global (;0;) (mut i32) (i32.const 1048576))
  (global (;1;) i32 (i32.const 1049076))
  (global (;2;) i32 (i32.const 1049088))
  (export "memory" (memory 0))
  (export "normalise" (func 0))
  (export "chw" (func 1))
  (export "hwc" (func 3))
  (export "ycc" (func 4))
  (export "argmax" (func 5))
  (export "sumb" (func 6))
  (export "sumf" (func 7))
  (export "threshold" (func 8))
  (export "blend" (func 9))
  (export "quantise" (func 10))
  (export "dequant" (func 11))
  (export "lut" (func 12))
  (export "__data_end" (global 1))
  (export "__heap_base" (global 2))
  (elem (;0;) (i32.const 1) func 15 14 18)
  (data (;0;) (i32.const 1048576)
    "r.rs\00\00\10\00\04\00\00\00\04\00\00\00\a9\00\00\00\00\00\10\00\04\00\00\00\04\00\00\00\9a\00\00\00\00\00\10\00\04\00\00\00\05\00\00\00\ab\00\00\00\00\00\10\00\04\00\00\00\05\00\00\00"
    "\9c\00\00\00\00\00\10\00\04\00\00\00\06\00\00\00\0f\01\00\00\00\00\10\00\04\00\00\00\06\00\00\00O\01\00\00\00\00\10\00\04\00\00\00\06\00\00\00\9f\01\00\00\02\00\00\00\00\00\00\00\01\00\00\00"
    "\03\00\00\00index out of bounds: the len is  but the index is \00\00\84\00\10\00 \00\00\00"
    "\a4\00\10\00\12\00\00\0000010203040506070809101112131415161718192021222324252627"
    "2829303132333435363738394041424344454647484950515253545556575859"
    "6061626364656667686970717273747576777879808182838485868788899091"
    "9293949596979899called `Option::unwrap()` on a `None` valuelibra"
    "ry/std/src/panicking.rs\00\bb\01\10\00\1c\00\00\00G\02\00\00\1e\00\00\00"
  )
)
