/* Copies standard input to standard output, and says on standard error how many bytes that were.
 *
 * build: python -m ziglang cc -target wasm32-wasi -Os -s -o cat.wasm cat.c
 * build: npx jco new cat.wasm --wasi-command -o components/cat.wasm
 */
#include <stdio.h>
#include <unistd.h>

int main(void) {
    static char buffer[4096];
    long total = 0;
    ssize_t count;
    while ((count = read(STDIN_FILENO, buffer, sizeof buffer)) > 0) {
        if (write(STDOUT_FILENO, buffer, count) != count) return 1;
        total += count;
    }
    fprintf(stderr, "%ld bytes\n", total);
    return count < 0;
}
