// build: python -m ziglang build-exe hello.zig -target wasm32-wasi -O ReleaseSmall -fstrip -femit-bin=hello_zig.wasm
const std = @import("std");

pub fn main(init: std.process.Init) !void {
    try std.Io.File.stdout().writeStreamingAll(init.io, "Hello, world!\n");
}
