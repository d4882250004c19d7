/* Gives a raw tensor to a model and prints the five largest values of its answer, "index value" a line.
 *
 * build: python -m ziglang cc -target wasm32-wasi -Os -s -I ../../pywasm_nn/guest/include -o raw_tensor.wasm raw_tensor.c
 *
 *     raw_tensor model.tflite tensor.u8 1x224x224x3
 *
 * The tensor's element type is its file's extension, .u8 or .f32, and the answer's is the same. Of equal values the one with
 * the lower index comes first.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wasi_nn.h"

enum { MAX_RANK = 8, MAX_OUTPUT = 1 << 20 };

typedef struct {
    uint8_t *data;
    uint32_t size;
} File;

static _Noreturn void fail(const char *what, const char *why) {
    fprintf(stderr, "raw_tensor: %s: %s\n", what, why);
    exit(1);
}

static void check(const char *function, nn_errno error) {
    if (error) fail(function, nn_errno_name(error));
}

static File read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) fail(path, "cannot open");
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    uint8_t *data = malloc(size);
    if (!data || fread(data, 1, size, file) != (size_t)size) fail(path, "cannot read");
    fclose(file);
    return (File){data, size};
}

static const char *extension(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot ? dot + 1 : "";
}

static uint32_t parse_shape(const char *text, uint32_t dimensions[MAX_RANK]) {
    uint32_t rank = 0;
    char *end;
    for (const char *p = text; rank < MAX_RANK; p = end + 1) {
        dimensions[rank++] = strtoul(p, &end, 10);
        if (*end != 'x') break;
    }
    if (*end) fail(text, "not a shape");
    return rank;
}

int main(int argc, char **argv) {
    if (argc != 4) fail("usage", "raw_tensor MODEL TENSOR SHAPE");
    File model = read_file(argv[1]), input = read_file(argv[2]);
    int is_float = !strcmp(extension(argv[2]), "f32");
    uint32_t dimensions[MAX_RANK];
    nn_tensor tensor = {
        .dimensions = dimensions,
        .rank = parse_shape(argv[3], dimensions),
        .type = is_float ? NN_F32 : NN_U8,
        .data = input.data,
        .size = input.size,
    };
    nn_graph_builder part = {model.data, model.size};
    nn_encoding encoding = strcmp(extension(argv[1]), "onnx") ? NN_TENSORFLOWLITE : NN_ONNX;
    nn_graph graph;
    nn_execution_context context;
    static float answer[MAX_OUTPUT / sizeof(float)];
    uint32_t written;
    check("load", nn_load(&part, 1, encoding, NN_CPU, &graph));
    check("init_execution_context", nn_init_execution_context(graph, &context));
    check("set_input", nn_set_input(context, 0, &tensor));
    check("compute", nn_compute(context));
    check("get_output", nn_get_output(context, 0, (uint8_t *)answer, MAX_OUTPUT, &written));

    uint32_t count = is_float ? written / sizeof(float) : written;
    static uint8_t taken[MAX_OUTPUT];
    for (int i = 0; i < 5 && i < (int)count; i++) {
        uint32_t best = count;
        for (uint32_t j = 0; j < count; j++) {
            if (taken[j]) continue;
            if (best == count) best = j;
            if (is_float ? answer[j] > answer[best] : ((uint8_t *)answer)[j] > ((uint8_t *)answer)[best]) best = j;
        }
        taken[best] = 1;
        if (is_float)
            printf("%u %g\n", best, answer[best]);
        else
            printf("%u %u\n", best, ((uint8_t *)answer)[best]);
    }
    return 0;
}
