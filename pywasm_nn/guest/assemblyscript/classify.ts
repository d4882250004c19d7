// Which digit is on the picture? Asks the model that the host calls "digits".
//
// build: npx asc classify.ts -o classify.wasm -Oz --runtime stub --exportStart _start --use abort=
//        (npm install assemblyscript)
// run: pywasm-nn run classify.wasm --models models < models/digit.pgm
import { Tensor, TensorType, compute, get_output, init_execution_context, load_by_name, set_input } from "./include/wasi_nn";

@external("wasi_snapshot_preview1", "fd_read")
declare function fd_read(fd: u32, iovecs: usize, count: u32, read: usize): u32;
@external("wasi_snapshot_preview1", "fd_write")
declare function fd_write(fd: u32, iovecs: usize, count: u32, written: usize): u32;
@external("wasi_snapshot_preview1", "proc_exit")
declare function proc_exit(code: u32): void;

function check(error: u32): void {
  if (error) proc_exit(error);
}

const buffer = memory.data(1024);
const iovec = memory.data(8);
const count = memory.data(4);
const graph = memory.data(4);
const context = memory.data(4);
const record = changetype<Tensor>(memory.data(20));

store<u32>(iovec, buffer as u32);
store<u32>(iovec + 4, 1024);
check(fd_read(0, iovec, 1, count));
// The last 64 bytes are the pixels, 0 to 16; the model wants 0 to 1.
const pixels = new StaticArray<f32>(64);
const first = buffer + load<u32>(count) - 64;
for (let i = 0; i < 64; i++) pixels[i] = (load<u8>(first + i) as f32) / 16;

const dimensions = memory.data<u32>([1, 1, 8, 8]);
record.dimensions = dimensions;
record.rank = 4;
record.type = <u8>TensorType.f32;
record.data = changetype<usize>(pixels);
record.size = 256;
const name = String.UTF8.encode("digits");
check(load_by_name(changetype<usize>(name), name.byteLength, graph));
check(init_execution_context(load<u32>(graph), context));
check(set_input(load<u32>(context), 0, changetype<usize>(record)));
check(compute(load<u32>(context)));
const probabilities = new StaticArray<f32>(10);
check(get_output(load<u32>(context), 0, changetype<usize>(probabilities), 40, count));

let best = 0;
for (let i = 1; i < 10; i++) if (probabilities[i] > probabilities[best]) best = i;
store<u8>(buffer, 48 + best);
store<u8>(buffer + 1, 10);
store<u32>(iovec + 4, 2);
fd_write(1, iovec, 1, count);
