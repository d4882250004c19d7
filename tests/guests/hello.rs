// Debian 12: apt-get install rustc libstd-rust-dev-wasm32; a newer compiler says wasm32-wasip1.
// build: rustc --target wasm32-wasi -C opt-level=s -C strip=symbols -o hello_rust.wasm hello.rs
fn main() {
    println!("Hello, world!");
}
