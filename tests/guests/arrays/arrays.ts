export function normalise(s: usize, d: usize, n: i32): void { for (let i = 0; i < n; i++) store<f32>(d + (i << 2), (<f32>load<u8>(s + i) / 255.0 - 0.485) / 0.229); }
export function chw(s: usize, d: usize, n: i32): void { for (let c = 0; c < 3; c++) for (let i = 0; i < n; i++) store<u8>(d + c * n + i, load<u8>(s + i * 3 + c)); }
export function hwc(s: usize, d: usize, n: i32): void { for (let i = 0; i < n; i++) for (let c = 0; c < 3; c++) store<f32>(d + ((i * 3 + c) << 2), load<f32>(s + ((c * n + i) << 2))); }
@inline function clamp(v: i32): u8 { return v < 0 ? 0 : v > 255 ? 255 : <u8>v; }
export function ycc(y: usize, cb: usize, cr: usize, d: usize, n: i32): void { for (let i = 0; i < n; i++) { let Y = <i32>load<u8>(y + i) << 16, b = <i32>load<u8>(cb + i) - 128, r = <i32>load<u8>(cr + i) - 128; store<u8>(d + i * 3, clamp((Y + 91881 * r + 32768) >> 16)); store<u8>(d + i * 3 + 1, clamp((Y - 22554 * b - 46802 * r + 32768) >> 16)); store<u8>(d + i * 3 + 2, clamp((Y + 116130 * b + 32768) >> 16)); } }
export function argmax(s: usize, n: i32): i32 { let m = load<f32>(s), b = 0; for (let i = 1; i < n; i++) { let v = load<f32>(s + (i << 2)); if (v > m) { m = v; b = i; } } return b; }
export function sumb(s: usize, n: i32): i32 { let t = 0; for (let i = 0; i < n; i++) t += load<u8>(s + i); return t; }
export function sumf(s: usize, n: i32): f32 { let t: f32 = 0; for (let i = 0; i < n; i++) t += load<f32>(s + (i << 2)); return t; }
export function threshold(s: usize, d: usize, n: i32, t: i32): void { for (let i = 0; i < n; i++) store<u8>(d + i, load<u8>(s + i) > <u8>t ? 255 : 0); }
export function blend(a: usize, b: usize, d: usize, n: i32, al: i32): void { for (let i = 0; i < n; i++) store<u8>(d + i, (<i32>load<u8>(a + i) * al + <i32>load<u8>(b + i) * (255 - al) + 127) / 255); }
export function quantise(s: usize, d: usize, n: i32, sc: f32, z: i32): void { for (let i = 0; i < n; i++) { let q = <i32>(load<f32>(s + (i << 2)) / sc) + z; store<u8>(d + i, clamp(q)); } }
export function dequant(s: usize, d: usize, n: i32, sc: f32, z: i32): void { for (let i = 0; i < n; i++) store<f32>(d + (i << 2), <f32>(<i32>load<u8>(s + i) - z) * sc); }
export function lut(s: usize, d: usize, t: usize, n: i32): void { for (let i = 0; i < n; i++) store<u8>(d + i, load<u8>(t + load<u8>(s + i))); }
