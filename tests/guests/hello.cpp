// Exceptions are off because zig has no runtime for them on this target.
// build: python -m ziglang c++ -target wasm32-wasi -Os -s -fno-exceptions -o hello_cpp.wasm hello.cpp
#include <iostream>

int main() {
    std::cout << "Hello, world!" << std::endl;
}
