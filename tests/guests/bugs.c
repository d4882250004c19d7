/* Makes one mistake in asking a model, or with `right` as second argument does the same without it.
 *
 * build: python -m ziglang cc -target wasm32-wasi -Os -s -I ../../pywasm_nn/guest/include -o bugs.wasm bugs.c
 *
 *     bugs layout | layout_shape | legacy_u8 | normalisation | stale_buffer | short_buffer | wrong_dtype
 *          | wrong_directory | silent_cpu | wrong_rank | swapped_inputs | all_zeros | unknown_model [right]
 *
 * In /models are photo.onnx (f32 [1,3,32,32] to f32 [1,10]), bytes.onnx (u8 [1,32,32,3] to f32 [1,3]) and pair.onnx
 * (f32 [1,4] and f32 [1,3] to f32 [1]); photo is also a named model. Errors are ignored unless nothing can follow them,
 * as programs with mistakes do.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wasi_nn.h"

enum { SIDE = 32, CHANNELS = 3, PIXELS = SIDE * SIDE, ELEMENTS = CHANNELS * PIXELS, CLASSES = 10 };

static int right;
static float picture[ELEMENTS], answer[CLASSES];
static uint8_t bytes[ELEMENTS];

/* A soft pattern, other in each channel, from 0 to 255. `which` makes another picture. */
static int shade(int which, int channel, int row, int column) {
    int wave = (row * (3 + channel) + column * (7 - 2 * channel) + 40 * channel + 90 * which) % 256;
    return wave < 128 ? 2 * wave : 2 * (255 - wave) + 1;
}

static void fill(int which, int interleaved, float scale) {
    for (int channel = 0; channel < CHANNELS; channel++)
        for (int row = 0; row < SIDE; row++)
            for (int column = 0; column < SIDE; column++) {
                int pixel = row * SIDE + column;
                int at = interleaved ? pixel * CHANNELS + channel : channel * PIXELS + pixel;
                int value = shade(which, channel, row, column);
                picture[at] = value / scale;
                bytes[at] = value;
            }
}

static nn_execution_context context_of(nn_graph graph) {
    nn_execution_context context = 0;
    nn_init_execution_context(graph, &context);
    return context;
}

static nn_execution_context load_from(const char *path, nn_target target) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "bugs: no model\n");
        exit(1);
    }
    static uint8_t model[1 << 17];
    nn_graph_builder part = {model, fread(model, 1, sizeof model, file)};
    fclose(file);
    nn_graph graph;
    if (nn_load(&part, 1, NN_ONNX, target, &graph)) exit(1);
    return context_of(graph);
}

static nn_execution_context photo(void) { return load_from("/models/photo.onnx", NN_CPU); }

static void give(nn_execution_context context, uint32_t index, nn_tensor_type type, const void *data, uint32_t size,
                 uint32_t rank, const uint32_t *dimensions) {
    nn_tensor tensor = {dimensions, rank, type, data, size};
    nn_set_input(context, index, &tensor);
}

static const uint32_t planar[] = {1, CHANNELS, SIDE, SIDE}, interleaved[] = {1, SIDE, SIDE, CHANNELS};

static void give_picture(nn_execution_context context) {
    give(context, 0, NN_F32, picture, sizeof picture, 4, planar);
}

static void ask(nn_execution_context context) {
    uint32_t written;
    nn_compute(context);
    nn_get_output(context, 0, (uint8_t *)answer, sizeof answer, &written);
}

static void layout(void) {
    fill(0, !right, 255);
    nn_execution_context context = photo();
    give_picture(context);
    ask(context);
}

static void layout_shape(void) {
    fill(0, !right, 255);
    nn_execution_context context = photo();
    give(context, 0, NN_F32, picture, sizeof picture, 4, right ? planar : interleaved);
    ask(context);
}

static void legacy_u8(void) {
    fill(0, 1, 255);
    nn_execution_context context = load_from("/models/bytes.onnx", NN_CPU);
    give(context, 0, right ? NN_U8 : 2, bytes, sizeof bytes, 4, interleaved);
    ask(context);
}

static void normalisation(void) {
    fill(0, 0, right ? 255 : 1);
    nn_execution_context context = photo();
    give_picture(context);
    ask(context);
}

static void stale_buffer(void) {
    nn_execution_context context = photo();
    fill(0, 0, 255);
    give_picture(context);
    for (int which = 0; which < 3; which++) {
        fill(which, 0, 255);
        if (right) give_picture(context);
        ask(context);
    }
}

static void short_buffer(void) {
    fill(0, 0, 255);
    nn_execution_context context = photo();
    give_picture(context);
    nn_compute(context);
    uint32_t written;
    nn_get_output(context, 0, (uint8_t *)answer, right ? sizeof answer : CLASSES, &written);
}

static void wrong_dtype(void) {
    fill(0, 0, 255);
    nn_execution_context context = photo();
    if (right)
        give_picture(context);
    else
        give(context, 0, NN_U8, bytes, sizeof bytes, 4, planar);
    ask(context);
}

static void wrong_directory(void) {
    fill(0, 0, 255);
    nn_execution_context context = load_from(right ? "/models/photo.onnx" : "photo.onnx", NN_CPU);
    give_picture(context);
    ask(context);
}

static void silent_cpu(void) {
    fill(0, 0, 255);
    nn_execution_context context = load_from("/models/photo.onnx", right ? NN_CPU : NN_GPU);
    give_picture(context);
    ask(context);
}

static void wrong_rank(void) {
    static const uint32_t flat[] = {1, ELEMENTS};
    fill(0, 0, 255);
    nn_execution_context context = photo();
    give(context, 0, NN_F32, picture, sizeof picture, right ? 4 : 2, right ? planar : flat);
    ask(context);
}

static void swapped_inputs(void) {
    static const uint32_t four[] = {1, 4}, three[] = {1, 3};
    static const float long_[] = {1, 2, 3, 4}, short_[] = {5, 6, 7};
    nn_execution_context context = load_from("/models/pair.onnx", NN_CPU);
    give(context, !right, NN_F32, long_, sizeof long_, 2, four);
    give(context, right, NN_F32, short_, sizeof short_, 2, three);
    ask(context);
}

static void all_zeros(void) {
    if (right) fill(0, 0, 255);
    nn_execution_context context = photo();
    give_picture(context);
    ask(context);
}

static void unknown_model(void) {
    nn_graph graph;
    const char *name = right ? "photo" : "Photos";
    if (nn_load_by_name(name, strlen(name), &graph)) exit(1);
    fill(0, 0, 255);
    nn_execution_context context = context_of(graph);
    give_picture(context);
    ask(context);
}

#define DEED(name) {#name, name}
static const struct {
    const char *name;
    void (*act)(void);
} deeds[] = {
    DEED(layout), DEED(layout_shape), DEED(legacy_u8), DEED(normalisation), DEED(stale_buffer), DEED(short_buffer),
    DEED(wrong_dtype), DEED(wrong_directory), DEED(silent_cpu), DEED(wrong_rank), DEED(swapped_inputs), DEED(all_zeros),
    DEED(unknown_model),
};

int main(int argc, char **argv) {
    right = argc > 2 && !strcmp(argv[2], "right");
    for (size_t i = 0; argc > 1 && i < sizeof deeds / sizeof *deeds; i++)
        if (!strcmp(deeds[i].name, argv[1])) {
            deeds[i].act();
            return 0;
        }
    return 2;
}
