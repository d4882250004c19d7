#![crate_type = "cdylib"]
use std::slice::{from_raw_parts as r, from_raw_parts_mut as w};
#[no_mangle] pub unsafe extern "C" fn normalise(s: *const u8, d: *mut f32, n: usize) { for (d, s) in w(d, n).iter_mut().zip(r(s, n)) { *d = (*s as f32 / 255.0 - 0.485) / 0.229; } }
#[no_mangle] pub unsafe extern "C" fn chw(s: *const u8, d: *mut u8, n: usize) { let (s, d) = (r(s, n * 3), w(d, n * 3)); for c in 0..3 { for i in 0..n { d[c * n + i] = s[i * 3 + c]; } } }
#[no_mangle] pub unsafe extern "C" fn hwc(s: *const f32, d: *mut f32, n: usize) { let (s, d) = (r(s, n * 3), w(d, n * 3)); for i in 0..n { for c in 0..3 { d[i * 3 + c] = s[c * n + i]; } } }
#[no_mangle] pub unsafe extern "C" fn ycc(y: *const u8, cb: *const u8, cr: *const u8, d: *mut u8, n: usize) { let (y, cb, cr, d) = (r(y, n), r(cb, n), r(cr, n), w(d, n * 3)); for i in 0..n { let (y, b, r) = ((y[i] as i32) << 16, cb[i] as i32 - 128, cr[i] as i32 - 128); d[i * 3] = ((y + 91881 * r + 32768) >> 16).clamp(0, 255) as u8; d[i * 3 + 1] = ((y - 22554 * b - 46802 * r + 32768) >> 16).clamp(0, 255) as u8; d[i * 3 + 2] = ((y + 116130 * b + 32768) >> 16).clamp(0, 255) as u8; } }
#[no_mangle] pub unsafe extern "C" fn argmax(s: *const f32, n: usize) -> usize { let (mut b, mut m) = (0, f32::MIN); for (i, &v) in r(s, n).iter().enumerate() { if v > m { m = v; b = i; } } b }
#[no_mangle] pub unsafe extern "C" fn sumb(s: *const u8, n: usize) -> u32 { r(s, n).iter().map(|&x| x as u32).sum() }
#[no_mangle] pub unsafe extern "C" fn sumf(s: *const f32, n: usize) -> f32 { r(s, n).iter().sum() }
#[no_mangle] pub unsafe extern "C" fn threshold(s: *const u8, d: *mut u8, n: usize, t: i32) { for (d, s) in w(d, n).iter_mut().zip(r(s, n)) { *d = if *s as i32 > t { 255 } else { 0 }; } }
#[no_mangle] pub unsafe extern "C" fn blend(a: *const u8, b: *const u8, d: *mut u8, n: usize, al: i32) { for ((d, a), b) in w(d, n).iter_mut().zip(r(a, n)).zip(r(b, n)) { *d = ((*a as i32 * al + *b as i32 * (255 - al) + 127) / 255) as u8; } }
#[no_mangle] pub unsafe extern "C" fn quantise(s: *const f32, d: *mut u8, n: usize, sc: f32, z: i32) { for (d, s) in w(d, n).iter_mut().zip(r(s, n)) { *d = ((*s / sc) as i32).wrapping_add(z).clamp(0, 255) as u8; } }
#[no_mangle] pub unsafe extern "C" fn dequant(s: *const u8, d: *mut f32, n: usize, sc: f32, z: i32) { for (d, s) in w(d, n).iter_mut().zip(r(s, n)) { *d = (*s as i32 - z) as f32 * sc; } }
#[no_mangle] pub unsafe extern "C" fn lut(s: *const u8, d: *mut u8, t: *const u8, n: usize) { let t = r(t, 256); for (d, s) in w(d, n).iter_mut().zip(r(s, n)) { *d = t[*s as usize]; } }
