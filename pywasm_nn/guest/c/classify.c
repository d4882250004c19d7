/* Which digit is on the picture? Asks the model that the host calls "digits".
 *
 * build: python -m ziglang cc -target wasm32-wasi -Os -s -I include -o classify.wasm classify.c
 *        (pip install ziglang; or clang of the WASI SDK)
 * run: pywasm-nn run classify.wasm --models models < models/digit.pgm
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wasi_nn.h"

#define PIXELS 64
#define CLASSES 10

static void check(nn_errno error, const char *what) {
    if (error == NN_SUCCESS) return;
    fprintf(stderr, "%s: %s\n", what, nn_errno_name(error));
    exit(1);
}

int main(void) {
    unsigned char file[1024];
    size_t size = fread(file, 1, sizeof file, stdin);
    if (size < PIXELS) {
        fprintf(stderr, "the picture comes on standard input: < models/digit.pgm\n");
        return 1;
    }
    /* The last 64 bytes are the pixels, 0 to 16; the model wants 0 to 1. */
    float pixels[PIXELS], probabilities[CLASSES];
    for (int i = 0; i < PIXELS; i++) pixels[i] = file[size - PIXELS + i] / 16.0f;

    nn_graph graph;
    nn_execution_context context;
    const uint32_t dimensions[] = {1, 1, 8, 8};
    const nn_tensor tensor = {dimensions, 4, NN_F32, (const uint8_t *)pixels, sizeof pixels};
    uint32_t written;
    check(nn_load_by_name("digits", strlen("digits"), &graph), "load_by_name");
    check(nn_init_execution_context(graph, &context), "init_execution_context");
    check(nn_set_input(context, 0, &tensor), "set_input");
    check(nn_compute(context), "compute");
    check(nn_get_output(context, 0, (uint8_t *)probabilities, sizeof probabilities, &written), "get_output");

    int best = 0;
    for (int i = 1; i < CLASSES; i++)
        if (probabilities[i] > probabilities[best]) best = i;
    printf("%d\n", best);
}
