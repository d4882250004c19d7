// wasi-nn for AssemblyScript: the six functions of the witx specification in the import module `wasi_ephemeral_nn`, and the
// two structs that they read. Every function answers an error number and writes through its last pointer only when that is 0.
// https://github.com/WebAssembly/wasi-nn/blob/main/wasi-nn.witx

@external("wasi_ephemeral_nn", "load")
export declare function load_graph(builders: usize, count: u32, encoding: u32, target: u32, graph: usize): u32;
@external("wasi_ephemeral_nn", "load_by_name")
export declare function load_by_name(name: usize, length: u32, graph: usize): u32;
@external("wasi_ephemeral_nn", "init_execution_context")
export declare function init_execution_context(graph: u32, context: usize): u32;
@external("wasi_ephemeral_nn", "set_input")
export declare function set_input(context: u32, index: u32, tensor: usize): u32;
@external("wasi_ephemeral_nn", "compute")
export declare function compute(context: u32): u32;
@external("wasi_ephemeral_nn", "get_output")
export declare function get_output(context: u32, index: u32, buffer: usize, capacity: u32, written: usize): u32;

export const CPU: u32 = 0;

export enum Encoding {
  openvino = 0, // two builders: the .xml, the .bin
  onnx = 1,
  tensorflow = 2,
  pytorch = 3,
  tensorflowlite = 4,
}

export enum TensorType {
  f16 = 0,
  f32 = 1,
  f64 = 2,
  u8 = 3,
  i32 = 4,
  i64 = 5,
}

// 20 bytes; the type is one byte at offset 8, three of padding follow.
@unmanaged
export class Tensor {
  dimensions: usize;
  rank: u32;
  type: u8;
  data: usize;
  size: u32; // in bytes
}

export function errno_name(error: u32): string {
  switch (error) {
    case 0: return "success";
    case 1: return "invalid_argument";
    case 2: return "invalid_encoding";
    case 3: return "missing_memory";
    case 4: return "busy";
    case 5: return "runtime_error";
    case 6: return "unsupported_operation";
    case 7: return "too_large";
    case 8: return "not_found";
    case 100: return "end_of_sequence";
    case 101: return "context_full";
    case 102: return "prompt_too_long";
    case 103: return "model_not_found";
    default: return "an error unknown to this program";
  }
}
