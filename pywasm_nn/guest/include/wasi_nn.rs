// wasi-nn for Rust: the six functions of the witx specification in the import module `wasi_ephemeral_nn`, and the struct that
// they read. Every function answers an error number and writes through its last pointer only when that is 0.
// https://github.com/WebAssembly/wasi-nn/blob/main/wasi-nn.witx
#![allow(dead_code)]

pub const F32: u8 = 1;
pub const U8: u8 = 3;

/// Dimensions outermost first; elements row-major and little-endian. 20 bytes.
#[repr(C)]
pub struct Tensor {
    pub dimensions: *const u32,
    pub rank: u32,
    pub kind: u8,
    pub data: *const u8,
    pub size: u32,
}

#[link(wasm_import_module = "wasi_ephemeral_nn")]
extern "C" {
    pub fn load(builders: *const u8, count: u32, encoding: u32, target: u32, graph: *mut u32) -> u32;
    pub fn load_by_name(name: *const u8, length: u32, graph: *mut u32) -> u32;
    pub fn init_execution_context(graph: u32, context: *mut u32) -> u32;
    pub fn set_input(context: u32, index: u32, tensor: *const Tensor) -> u32;
    pub fn compute(context: u32) -> u32;
    pub fn get_output(context: u32, index: u32, buffer: *mut u8, capacity: u32, written: *mut u32) -> u32;
}
