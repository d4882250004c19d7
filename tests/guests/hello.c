/* build: python -m ziglang cc -target wasm32-wasi -Os -s -o hello_c.wasm hello.c */
#include <stdio.h>

int main(void) {
    printf("Hello, world!\n");
    return 0;
}
