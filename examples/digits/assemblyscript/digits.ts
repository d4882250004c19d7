// Which digit is this? The program of ../c/digits.c once more, in AssemblyScript: same arguments, same output.
//
// build: npx asc digits.ts -o app.wasm -Oz --noAssert --runtime stub --exportStart _start --use abort=wasi/abort
//
//     digits [picture.pgm ...] [model]       (by default models/digit.pgm and models/digits.onnx)

import { args, fail, print, read_file } from "./wasi";
import {
  CPU, Encoding, Tensor, TensorType, compute, errno_name, get_output, init_execution_context, load_graph, set_input,
} from "../../../pywasm_nn/guest/include/wasi_nn";

const DIGITS = 10;
const MAX_PIXELS: u32 = 64 * 64;

function check(name: string, error: u32): void {
  if (error != 0) fail(name, errno_name(error));
}

// PGM: https://netpbm.sourceforge.net/doc/pgm.html

function is_digit(byte: u8): bool {
  return byte >= 0x30 && byte <= 0x39;
}

// Pictures one after another, as one file may hold them.
class Reader {
  at: i32 = 0;
  width: u32 = 0;
  height: u32 = 0;
  pixels: StaticArray<f32> = new StaticArray<f32>(MAX_PIXELS); // from 0 to 1, as in training

  constructor(public path: string, public file: Uint8Array) {}

  skip_space(): void {
    let comment = false;
    for (; this.at < this.file.length; this.at++) {
      const byte = this.file[this.at];
      if (byte == 0x23) comment = true; // #
      else if (byte == 0x0a) comment = false;
      else if (!comment && byte != 0x20 && !(byte >= 0x09 && byte <= 0x0d)) break;
    }
  }

  at_end(): bool {
    return this.at >= this.file.length;
  }

  number(): u32 {
    this.skip_space();
    if (this.at_end() || !is_digit(this.file[this.at])) fail(this.path, "not a PGM picture");
    let number: u32 = 0;
    while (!this.at_end() && is_digit(this.file[this.at]) && number < 100000) {
      number = number * 10 + this.file[this.at++] - 0x30;
    }
    return number;
  }

  picture(): void {
    const file = this.file, start = this.at;
    if (file.length - start < 2 || file[start] != 0x50 || (file[start + 1] != 0x32 && file[start + 1] != 0x35)) {
      fail(this.path, "not a PGM picture");
    }
    const binary = file[start + 1] == 0x35; // P5
    this.at += 2;
    this.width = this.number();
    this.height = this.number();
    const white = this.number();
    if (white == 0 || white > 255) fail(this.path, "only PGM pictures of up to 256 shades are read");
    const count = this.width * this.height;
    if (count == 0) fail(this.path, "the picture is empty");
    if (this.width > MAX_PIXELS || count > MAX_PIXELS) fail(this.path, "too many pixels");
    if (binary) this.at++;
    if (binary && file.length - this.at < <i32>count) fail(this.path, "the picture is cut short");
    for (let i: u32 = 0; i < count; i++) {
      const value: u32 = binary ? <u32>file[this.at++] : this.number();
      this.pixels[i] = <f32>value / <f32>white;
    }
  }
}

// The model, and what it says about a picture.

class Model {
  context: u32 = 0;
  channel_last: bool = false;
  probabilities: StaticArray<f32> = new StaticArray<f32>(DIGITS);

  ask(picture: Reader): void {
    const w = picture.width, h = picture.height;
    const dimensions: StaticArray<u32> = this.channel_last ? [1, h, w, 1] : [1, 1, h, w];
    const tensor = new Tensor();
    tensor.dimensions = changetype<usize>(dimensions);
    tensor.rank = 4;
    tensor.type = <u8>TensorType.f32;
    tensor.data = changetype<usize>(picture.pixels);
    tensor.size = w * h * sizeof<f32>();
    const size = DIGITS * <u32>sizeof<f32>();
    check("set_input", set_input(this.context, 0, changetype<usize>(tensor)));
    check("compute", compute(this.context));
    check("get_output", get_output(this.context, 0, changetype<usize>(this.probabilities), size, answer));
    if (load<u32>(answer) != size) fail("get_output", "the model does not answer with ten numbers");
  }

  // The most probable digit; `forget` takes it out, so that the next call gives the next one.
  best(): i32 {
    let best = 0;
    for (let i = 1; i < DIGITS; i++) if (this.probabilities[i] > this.probabilities[best]) best = i;
    return best;
  }

  forget(digit: i32): void {
    this.probabilities[digit] = -1;
  }
}

const answer = memory.data(4);

function load_model(path: string): Model {
  const parts = [read_file(path)];
  const model = new Model();
  let encoding = Encoding.onnx;
  if (path.endsWith(".tflite")) {
    encoding = Encoding.tensorflowlite;
    model.channel_last = true;
  } else if (path.endsWith(".xml")) {
    encoding = Encoding.openvino;
    parts.push(read_file(path.slice(0, -3) + "bin"));
  } else if (!path.endsWith(".onnx")) {
    fail(path, "not a .pgm picture, nor a model: .onnx, .tflite or .xml");
  }
  const builders = new StaticArray<usize>(parts.length * 2); // pointer, length; pointer, length
  for (let i = 0; i < parts.length; i++) {
    builders[2 * i] = parts[i].dataStart;
    builders[2 * i + 1] = parts[i].length;
  }
  check("load", load_graph(changetype<usize>(builders), parts.length, encoding, CPU, answer));
  check("init_execution_context", init_execution_context(load<u32>(answer), answer));
  model.context = load<u32>(answer);
  return model;
}

function print_three(model: Model): void {
  for (let i = 0; i < 3; i++) {
    const digit = model.best();
    const tenths = <u32>(model.probabilities[digit] * 1000 + 0.5);
    const percent = (tenths / 10).toString().padStart(3) + "." + (tenths % 10).toString();
    print(digit.toString() + " " + percent + " %\n");
    model.forget(digit);
  }
}

function classify_file(model: Model, path: string, among_others: bool): void {
  const reader = new Reader(path, read_file(path));
  for (let number = 0; number == 0 || !reader.at_end(); number++) {
    reader.picture();
    model.ask(reader);
    reader.skip_space();
    const numbered = number > 0 || !reader.at_end();
    if (!among_others && !numbered) print_three(model);
    else print(path + (numbered ? "[" + number.toString() + "]" : "") + ": " + model.best().toString() + "\n");
  }
}

const given = args();
const pictures: string[] = [];
let model_path = "models/digits.onnx";
for (let i = 1; i < given.length; i++) {
  if (given[i].endsWith(".pgm")) pictures.push(given[i]);
  else model_path = given[i];
}
if (pictures.length == 0) pictures.push("models/digit.pgm");
const model = load_model(model_path);
for (let i = 0; i < pictures.length; i++) classify_file(model, pictures[i], pictures.length > 1);
