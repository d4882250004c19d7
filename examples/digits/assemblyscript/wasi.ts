// What digits.ts needs of WASI preview 1: arguments, reading files below preopened directories, writing text, leaving.
// https://github.com/WebAssembly/WASI/blob/main/legacy/preview1/docs.md

@external("wasi_snapshot_preview1", "args_sizes_get")
declare function args_sizes_get(count: usize, size: usize): u32;
@external("wasi_snapshot_preview1", "args_get")
declare function args_get(pointers: usize, text: usize): u32;
@external("wasi_snapshot_preview1", "fd_prestat_get")
declare function fd_prestat_get(fd: u32, prestat: usize): u32;
@external("wasi_snapshot_preview1", "fd_prestat_dir_name")
declare function fd_prestat_dir_name(fd: u32, name: usize, length: usize): u32;
@external("wasi_snapshot_preview1", "path_open")
declare function path_open(
  directory: u32, lookup: u32, path: usize, length: usize, oflags: u32, rights: u64, inherited: u64, flags: u32, fd: usize
): u32;
@external("wasi_snapshot_preview1", "fd_read")
declare function fd_read(fd: u32, vectors: usize, count: usize, size: usize): u32;
@external("wasi_snapshot_preview1", "fd_write")
declare function fd_write(fd: u32, vectors: usize, count: usize, size: usize): u32;
@external("wasi_snapshot_preview1", "fd_close")
declare function fd_close(fd: u32): u32;
@external("wasi_snapshot_preview1", "proc_exit")
declare function proc_exit(code: u32): void;

const STDOUT: u32 = 1;
const STDERR: u32 = 2;
const FIRST_PREOPEN: u32 = 3;
const RIGHT_TO_READ: u64 = 2;
const FOLLOW_LINKS: u32 = 1;

// A pointer and a length for fd_read and fd_write, then room for one answer.
const vector = memory.data(12);
const answer = vector + 8;

function write(fd: u32, text: string): void {
  const bytes = String.UTF8.encode(text);
  let start = changetype<usize>(bytes), left = bytes.byteLength;
  while (left > 0) {
    store<usize>(vector, start);
    store<usize>(vector, left, 4);
    if (fd_write(fd, vector, 1, answer) != 0) return;
    start += load<usize>(answer);
    left -= load<i32>(answer);
  }
}

export function print(text: string): void {
  write(STDOUT, text);
}

export function fail(what: string, why: string): void {
  write(STDERR, "digits: " + what + ": " + why + "\n");
  proc_exit(1);
}

// The compiler calls this instead of an import of its own (--use abort=wasi/abort).
export function abort(message: string | null, file: string | null, line: u32, column: u32): void {
  fail("the program is broken", message ? message : "no reason given");
}

export function args(): string[] {
  args_sizes_get(vector, answer);
  const count = load<i32>(vector);
  const pointers = new StaticArray<usize>(count);
  const text = new ArrayBuffer(load<i32>(answer));
  args_get(changetype<usize>(pointers), changetype<usize>(text));
  const found: string[] = [];
  for (let i = 0; i < count; i++) found.push(String.UTF8.decodeUnsafe(pointers[i], text.byteLength, true));
  return found;
}

// The preopened directory whose name is the longest beginning of a path, and the rest of the path.
class Place {
  constructor(public directory: u32, public rest: string) {}
}

function find(path: string): Place | null {
  let best: Place | null = null;
  for (let fd = FIRST_PREOPEN; fd_prestat_get(fd, vector) == 0; fd++) {
    const length = load<i32>(vector, 4);
    const bytes = new ArrayBuffer(length);
    fd_prestat_dir_name(fd, changetype<usize>(bytes), length);
    let name = String.UTF8.decode(bytes);
    if (name == ".") name = "";
    else if (!name.endsWith("/")) name += "/";
    if (!path.startsWith(name)) continue;
    const rest = path.slice(name.length);
    if (best == null || rest.length < best.rest.length) best = new Place(fd, rest);
  }
  return best;
}

export function read_file(path: string): Uint8Array {
  const place = find(path);
  if (place == null) {
    fail(path, "cannot open");
    return new Uint8Array(0);
  }
  const name = String.UTF8.encode(place.rest);
  if (
    path_open(
      place.directory, FOLLOW_LINKS, changetype<usize>(name), name.byteLength, 0, RIGHT_TO_READ, 0, 0, answer
    ) != 0
  ) fail(path, "cannot open");
  const fd = load<u32>(answer);
  let file = new Uint8Array(1 << 15);
  let size = 0;
  while (true) {
    if (size == file.length) {
      const bigger = new Uint8Array(size * 2);
      bigger.set(file);
      file = bigger;
    }
    store<usize>(vector, file.dataStart + size);
    store<usize>(vector, file.length - size, 4);
    if (fd_read(fd, vector, 1, answer) != 0) fail(path, "cannot read");
    const count = load<i32>(answer);
    if (count == 0) break;
    size += count;
  }
  fd_close(fd);
  return file.subarray(0, size);
}
