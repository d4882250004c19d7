// Works with files in the first directory that it is given, by WASI's own functions: makes, walks, renames, deletes.
// build: npx asc walk.ts -o walk_assemblyscript.wasm -Oz --config ../../node_modules/@assemblyscript/wasi-shim/asconfig.json
import {
  fd_close, fd_read, fd_readdir, fd_seek, fd_write, filestat, path_create_directory, path_filestat_get, path_open,
  path_remove_directory, path_rename, path_unlink_file,
} from "../../node_modules/@assemblyscript/wasi-shim/assembly/bindings/wasi_snapshot_preview1";

const ROOT: u32 = 3;
const room = heap.alloc(4096);
const answer = heap.alloc(64);
const vector = heap.alloc(8);

function tell(what: string, errno: u32): void {
  console.log(what + ": " + (errno == 0 ? "done" : "error " + errno.toString()));
}

function name(path: string): ArrayBuffer {
  return String.UTF8.encode(path);
}

function make(path: string): void {
  const p = name(path);
  tell("make " + path, path_create_directory(ROOT, changetype<usize>(p), p.byteLength));
}

function remove(path: string, directory: bool): void {
  const p = name(path);
  const start = changetype<usize>(p);
  tell(
    "remove " + path,
    directory ? path_remove_directory(ROOT, start, p.byteLength) : path_unlink_file(ROOT, start, p.byteLength),
  );
}

function rename(from: string, to: string): void {
  const a = name(from);
  const b = name(to);
  tell(
    "rename " + from + " to " + to,
    path_rename(ROOT, changetype<usize>(a), a.byteLength, ROOT, changetype<usize>(b), b.byteLength),
  );
}

function open(path: string, flags: u16, rights: u64): u32 {
  const p = name(path);
  const errno = path_open(
    ROOT, 0, changetype<usize>(p), p.byteLength, flags, rights, 0, 0, changetype<usize>(answer),
  );
  if (errno != 0) tell("open " + path, errno);
  return errno == 0 ? load<u32>(answer) : 0xffffffff;
}

function put(path: string, text: string): void {
  const fd = open(path, 1, 0x40);
  const data = name(text);
  store<u32>(vector, changetype<usize>(data));
  store<u32>(vector, data.byteLength, 4);
  tell("write " + path, fd_write(fd, vector, 1, answer));
  fd_close(fd);
}

function show(path: string): void {
  const fd = open(path, 0, 0x6);
  fd_seek(fd, 2, 0, answer);
  store<u32>(vector, room);
  store<u32>(vector, 100, 4);
  const errno = fd_read(fd, vector, 1, answer);
  console.log(path + " from 2 on: " + (errno == 0 ? String.UTF8.decodeUnsafe(room, load<u32>(answer)) : errno.toString()));
  fd_close(fd);
}

function size(path: string): u64 {
  const p = name(path);
  return path_filestat_get(ROOT, 0, changetype<usize>(p), p.byteLength, changetype<filestat>(answer)) == 0 ? load<u64>(answer, 32) : <u64>-1;
}

function walk(path: string): void {
  const fd = open(path, 2, 0x4000);
  fd_readdir(fd, room, 4096, 0, answer);
  const end = room + load<u32>(answer);
  const found = new Array<string>();
  for (let at = room; at + 24 <= end; at += 24 + load<u32>(at, 16)) {
    const entry = String.UTF8.decodeUnsafe(at + 24, load<u32>(at, 16));
    if (entry != "." && entry != "..") found.push((load<u8>(at, 20) == 3 ? "/" : "") + entry);
  }
  fd_close(fd);
  found.sort();
  for (let i = 0; i < found.length; i++) {
    if (found[i].startsWith("/")) {
      console.log("  " + path + found[i] + "/");
      walk(path + found[i]);
    } else {
      console.log("  " + path + "/" + found[i] + " " + size(path + "/" + found[i]).toString());
    }
  }
}

make("a");
make("a/b");
make("a/b");
put("a/one", "0123456789");
put("a/two", "äöü");
show("a/two");
walk(".");
rename("a/one", "a/b/moved");
rename("a/b", "b");
rename("a/two", "b");
rename("nothing", "something");
walk(".");
show("b/moved");
remove("b", true);
remove("b/moved", true);
remove("b", false);
remove("b/moved", false);
remove("a/two", false);
remove("b", true);
remove("a", true);
walk(".");
