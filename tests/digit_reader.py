"""A guest for many inputs: 64 bytes of standard input are a picture of 8x8 with 16 shades, one digit is the
output. It loads the model "digits" by name, exits with 3 if the picture is incomplete, traps if a shade is
255, and never ends if one is 254."""

from __future__ import annotations

from pathlib import Path

import numpy

from pywasm_nn import demo

MODELS = {"digits": demo.path() / "models" / "digits.onnx"}
PICTURES = Path(__file__).parents[1] / "examples" / "digits" / "pictures"
GUEST = """(module
  (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (import "wasi_ephemeral_nn" "load_by_name" (func $load (param i32 i32 i32) (result i32)))
  (import "wasi_ephemeral_nn" "init_execution_context" (func $init (param i32 i32) (result i32)))
  (import "wasi_ephemeral_nn" "set_input" (func $set (param i32 i32 i32) (result i32)))
  (import "wasi_ephemeral_nn" "compute" (func $compute (param i32) (result i32)))
  (import "wasi_ephemeral_nn" "get_output" (func $get (param i32 i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 0) "digits")
  ;; a vector of 64 bytes at 256, one of 2 bytes at 128
  (data (i32.const 16) "\\00\\01\\00\\00\\40\\00\\00\\00" "\\80\\00\\00\\00\\02\\00\\00\\00")
  ;; a tensor: dimensions 1 1 8 8 at 64, four of them, type f32, 256 bytes at 512
  (data (i32.const 64) "\\01\\00\\00\\00\\01\\00\\00\\00\\08\\00\\00\\00\\08\\00\\00\\00")
  (data (i32.const 32) "\\40\\00\\00\\00\\04\\00\\00\\00\\01\\00\\00\\00\\00\\02\\00\\00\\00\\01\\00\\00")
  (func $check (param i32) (if (local.get 0) (then (call $exit (local.get 0)))))
  (func (export "_start") (local $at i32) (local $shade i32) (local $best i32)
    (call $check (call $read (i32.const 0) (i32.const 16) (i32.const 1) (i32.const 8)))
    (if (i32.ne (i32.load (i32.const 8)) (i32.const 64)) (then (call $exit (i32.const 3))))
    (loop $next
      (local.set $shade (i32.load8_u offset=256 (local.get $at)))
      (if (i32.eq (local.get $shade) (i32.const 255)) (then unreachable))
      (if (i32.eq (local.get $shade) (i32.const 254)) (then (loop (br 0))))
      (f32.store offset=512 (i32.shl (local.get $at) (i32.const 2))
        (f32.div (f32.convert_i32_u (local.get $shade)) (f32.const 16)))
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $at) (i32.const 64))))
    (call $check (call $load (i32.const 0) (i32.const 6) (i32.const 8)))
    (call $check (call $init (i32.load (i32.const 8)) (i32.const 8)))
    (call $check (call $set (i32.const 0) (i32.const 0) (i32.const 32)))
    (call $check (call $compute (i32.const 0)))
    (call $check (call $get (i32.const 0) (i32.const 0) (i32.const 1024) (i32.const 40) (i32.const 8)))
    (local.set $at (i32.const 1))
    (loop $next
      (if (f32.gt (f32.load offset=1024 (i32.shl (local.get $at) (i32.const 2)))
                  (f32.load offset=1024 (i32.shl (local.get $best) (i32.const 2))))
        (then (local.set $best (local.get $at))))
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $at) (i32.const 10))))
    (i32.store8 (i32.const 128) (i32.add (local.get $best) (i32.const 48)))
    (i32.store8 (i32.const 129) (i32.const 10))
    (drop (call $write (i32.const 1) (i32.const 24) (i32.const 1) (i32.const 8)))))"""


def pictures(count: int) -> list[bytes]:
    """So many pictures: those that training never saw, again and again with other noise."""
    parts = (PICTURES / "held-out.pgm").read_bytes().split(b"P5")[1:]
    known = [numpy.frombuffer(part[-64:], "u1").astype("i2") for part in parts]
    noise = numpy.random.default_rng(7).integers(-1, 2, (count, 64))
    noise[: len(known)] = 0
    return [
        numpy.clip(known[index % len(known)] + noise[index], 0, 16).astype("u1").tobytes()
        for index in range(count)
    ]


def labels() -> list[str]:
    """The digits in the first pictures."""
    return list((PICTURES / "held-out.txt").read_text().split())
