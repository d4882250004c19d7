// Variables for a debugger, without the standard library.
// Debian 12: apt-get install rustc libstd-rust-dev-wasm32 lld; a newer compiler says wasm32-unknown-unknown too.
// build: rustc --target wasm32-unknown-unknown --emit obj -g -C opt-level=0 -C overflow-checks=off -C panic=abort --remap-path-prefix=$PWD=. variables.rs
//        wasm-ld --no-entry --export=_start --gc-sections -o variables_rust.wasm variables.o
#![no_std]
#![no_main]

#[panic_handler]
fn panic(_info: &core::panic::PanicInfo) -> ! {
    loop {}
}

pub struct Point {
    x: i32,
    y: f32,
}

#[no_mangle]
#[inline(never)]
fn area(name: &str, numbers: &[i32], point: &Point, scale: i64) -> i32 {
    let size = point.x * scale as i32;
    let ready = size > 10;
    let pair = (size, 2.5f64);
    let mut sum = name.len() as i32;
    for number in numbers {
        sum += number;
    }
    sum + ready as i32 + pair.1 as i32 + point.y as i32
}

#[no_mangle]
pub extern "C" fn _start() {
    let point = Point { x: 3, y: 1.5 };
    let numbers = [10, 20, 30];
    let first = area("square", &numbers, &point, 7);
    let second = area("é", &[first, 5], &point, 2);
    unsafe { core::ptr::write_volatile(1024 as *mut i32, second) }
}
