export function hash31(s: usize, n: u32): u32 { let h: u32 = 7; for (let i: u32 = 0; i < n; i++) h = h * 31 + load<u8>(s + i); return h; }
export function djb2(s: usize, n: u32): u32 { let h: u32 = 5381; for (let i: u32 = 0; i < n; i++) h = (h << 5) + h + load<u8>(s + i); return h; }
export function rolling(s: usize, n: u32, p: u64): u64 { let h: u64 = 1; for (let i: u32 = 0; i < n; i++) h = h * p + load<u32>(s + (i << 2)); return h; }
export function hash97(s: usize, n: u32): u32 { let h: u32 = 0; for (let i: u32 = 0; i < n; i += 97) h = h * 31 + load<u32>(s + (i << 2)); return h; }
export function argmax(s: usize, n: u32): u32 { let b: u32 = 0; for (let i: u32 = 1; i < n; i++) if (load<f32>(s + (i << 2)) > load<f32>(s + (b << 2))) b = i; return b; }
export function argminb(s: usize, n: u32): u32 { let b: u32 = 0; for (let i: u32 = 1; i < n; i++) if (load<u8>(s + i) < load<u8>(s + b)) b = i; return b; }
export function fmins(s: usize, n: u32): f64 { let m = load<f64>(s); for (let i: u32 = 1; i < n; i++) m = min(m, load<f64>(s + (i << 3))); return m; }
export function fmaxi(s: usize, n: u32): f32 { let m = load<f32>(s); for (let i: u32 = 1; i < n; i++) m = max(m, load<f32>(s + (i << 2))); return m; }
export function checksum(s: usize, n: u32, m: u32, w: u32): u32 { let t: u32 = 0; for (let i: u32 = 0; i < n; i++) for (let j: u32 = 0; j < m; j++) t = t * 31 + load<u8>(s + i * w + j); return t; }
