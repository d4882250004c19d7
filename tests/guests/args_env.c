/* Prints its arguments and environment, one a line, and leaves with the exit code that the variable CODE names.
 *
 * build: python -m ziglang cc -target wasm32-wasi -Os -s -o args_env.wasm args_env.c
 * build: npx jco new args_env.wasm --wasi-command -o components/args_env.wasm
 */
#include <stdio.h>
#include <stdlib.h>

extern char **environ;

int main(int argc, char **argv) {
    for (int i = 0; i < argc; i++) printf("argument %d: %s\n", i, argv[i]);
    for (char **variable = environ; *variable; variable++) printf("variable: %s\n", *variable);
    const char *code = getenv("CODE");
    return code ? atoi(code) : 0;
}
