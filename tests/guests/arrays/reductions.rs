#![no_std]
use core::slice::from_raw_parts;
#[panic_handler] fn panic(_: &core::panic::PanicInfo) -> ! { loop {} }
#[no_mangle] pub unsafe extern "C" fn hash31(s: *const u8, n: usize) -> u32 { from_raw_parts(s, n).iter().fold(7u32, |h, &x| h.wrapping_mul(31).wrapping_add(x as u32)) }
#[no_mangle] pub unsafe extern "C" fn djb2(s: *const u8, n: usize) -> u32 { let mut h = 5381u32; for &x in from_raw_parts(s, n) { h = (h << 5).wrapping_add(h).wrapping_add(x as u32); } h }
#[no_mangle] pub unsafe extern "C" fn rolling(s: *const u32, n: usize, p: u64) -> u64 { let mut h = 1u64; for &x in from_raw_parts(s, n) { h = h.wrapping_mul(p).wrapping_add(x as u64); } h }
#[no_mangle] pub unsafe extern "C" fn hash97(s: *const u32, n: usize) -> u32 { from_raw_parts(s, n).iter().step_by(97).fold(0u32, |h, &x| h.wrapping_mul(31).wrapping_add(x)) }
#[no_mangle] pub unsafe extern "C" fn argmax(s: *const f32, n: usize) -> u32 { let mut b = 0; for i in 1..n { if *s.add(i) > *s.add(b) { b = i } } b as u32 }
#[no_mangle] pub unsafe extern "C" fn argminb(s: *const u8, n: usize) -> u32 { let mut b = 0; for i in 1..n { if *s.add(i) < *s.add(b) { b = i } } b as u32 }
#[no_mangle] pub unsafe extern "C" fn fmaxi(s: *const f32, n: usize) -> f32 { let mut m = *s; for i in 1..n { let x = *s.add(i); if m < x { m = x } } m }
#[no_mangle] pub unsafe extern "C" fn checksum(s: *const u8, n: usize, m: usize, w: usize) -> u32 { let mut t = 0u32; for i in 0..n { for j in 0..m { t = t.wrapping_mul(31).wrapping_add(*s.add(i * w + j) as u32); } } t }
