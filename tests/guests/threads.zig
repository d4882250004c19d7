// Eight threads of the standard library count together: atomically, and with a lock that waits.
// zig 0.17.1: zig build-exe threads.zig -femit-bin=threads.wasm -O ReleaseSmall -target wasm32-wasi -mcpu generic+atomics+bulk_memory
//   -fno-single-threaded --shared-memory --import-memory --export-memory --max-memory=67108864 --export=wasi_thread_start
const std = @import("std");
pub const panic = std.debug.no_panic;
var counter: u32 = 0;
var locked: u32 = 0;
var plain: u32 = 0;
var finished: u32 = 0;
threadlocal var mine: u32 = 0;

fn wait(place: *u32, expected: u32) void {
    _ = asm volatile (
        \\local.get %[p]
        \\local.get %[e]
        \\i64.const -1
        \\memory.atomic.wait32 0
        \\local.set %[ret]
        : [ret] "=r" (-> u32),
        : [p] "r" (place),
          [e] "r" (expected),
    );
}
fn notify(place: *u32) void {
    _ = asm volatile (
        \\local.get %[p]
        \\i32.const -1
        \\memory.atomic.notify 0
        \\local.set %[ret]
        : [ret] "=r" (-> u32),
        : [p] "r" (place),
    );
}
fn lock() void {
    while (@cmpxchgWeak(u32, &locked, 0, 1, .acquire, .monotonic) != null) wait(&locked, 1);
}
fn unlock() void {
    @atomicStore(u32, &locked, 0, .release);
    notify(&locked);
}
fn work(n: u32, rounds: u32) void {
    mine = n;
    var i: u32 = 0;
    while (i < rounds) : (i += 1) {
        _ = @atomicRmw(u32, &counter, .Add, 1, .seq_cst);
        if (i % 64 == 0) {
            lock();
            plain += 1;
            unlock();
        }
        mine += 1;
    }
    lock();
    plain += mine - n - rounds;
    unlock();
    _ = @atomicRmw(u32, &finished, .Add, 1, .seq_cst);
    notify(&finished);
}
var store: [2 << 20]u8 align(16) = undefined;
pub fn main() void {
    var fixed = std.heap.FixedBufferAllocator.init(&store);
    const threads = 8;
    const rounds = 12800;
    for (0..threads) |i| _ = std.Thread.spawn(.{ .allocator = fixed.allocator(), .stack_size = 65536 }, work, .{ @as(u32, @intCast(i)), rounds }) catch std.os.wasi.proc_exit(3);
    // Not `join`: if a thread ends before `spawn` has stored its number, `join` of Zig 0.17.1 waits for ever.
    while (true) {
        const now = @atomicLoad(u32, &finished, .seq_cst);
        if (now == threads) break;
        wait(&finished, now);
    }
    if (counter != 8 * rounds or plain != 8 * rounds / 64) std.os.wasi.proc_exit(4);
    var buffer: [64]u8 = undefined;
    const text = std.fmt.bufPrint(&buffer, "{d} {d}\n", .{ counter, plain }) catch std.os.wasi.proc_exit(5);
    const iov = [_]std.os.wasi.ciovec_t{.{ .base = text.ptr, .len = text.len }};
    var n: usize = 0;
    _ = std.os.wasi.fd_write(1, &iov, 1, &n);
}
