// Which digit is on the picture? Asks the model that the host calls "digits".
//
// build: cargo build --release --target wasm32-wasip1        (rustup target add wasm32-wasip1)
// run: pywasm-nn run target/wasm32-wasip1/release/classify.wasm --models models < models/digit.pgm
use std::io::Read;

#[path = "../include/wasi_nn.rs"]
mod wasi_nn;

fn check(error: u32, what: &str) {
    if error != 0 {
        eprintln!("{what}: error {error}");
        std::process::exit(1);
    }
}

fn main() {
    let mut file = Vec::new();
    std::io::stdin().read_to_end(&mut file).expect("standard input");
    if file.len() < 64 {
        eprintln!("the picture comes on standard input: < models/digit.pgm");
        std::process::exit(1);
    }
    // The last 64 bytes are the pixels, 0 to 16; the model wants 0 to 1.
    let pixels: Vec<f32> = file[file.len() - 64..].iter().map(|&p| p as f32 / 16.0).collect();
    let mut probabilities = [0f32; 10];
    let dimensions = [1u32, 1, 8, 8];
    let tensor = wasi_nn::Tensor {
        dimensions: dimensions.as_ptr(),
        rank: 4,
        kind: wasi_nn::F32,
        data: pixels.as_ptr().cast(),
        size: 256,
    };
    let (name, mut graph, mut context, mut written) = ("digits", 0, 0, 0);
    unsafe {
        check(wasi_nn::load_by_name(name.as_ptr(), name.len() as u32, &mut graph), "load_by_name");
        check(wasi_nn::init_execution_context(graph, &mut context), "init_execution_context");
        check(wasi_nn::set_input(context, 0, &tensor), "set_input");
        check(wasi_nn::compute(context), "compute");
        let buffer = probabilities.as_mut_ptr().cast();
        check(wasi_nn::get_output(context, 0, buffer, 40, &mut written), "get_output");
    }
    let best = (0..10).fold(0, |a, b| if probabilities[b] > probabilities[a] { b } else { a });
    println!("{best}");
}
