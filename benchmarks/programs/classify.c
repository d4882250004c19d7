/* What a photograph shows: a JPEG is decoded, resized and normalised as training frameworks do, a model is
 * asked by wasi-nn, and the five most probable classes are printed. `programs.py` says how it is built. */
#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_RESIZE_IMPLEMENTATION
#define STBI_NO_THREAD_LOCALS
#define STBI_NO_SIMD
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "stb_image.h"
#include "stb_image_resize.h"
#include "wasi_nn.h"

enum { SIDE = 224, CLASSES = 1000, SHOWN = 5 };

typedef struct {
    int number;
    float probability;
} Class;

static void check(const char *what, int failed) {
    if (!failed) return;
    fprintf(stderr, "%s failed\n", what);
    exit(1);
}

static unsigned char *file_of(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    check(path, !file || fseek(file, 0, SEEK_END));
    *size = ftell(file);
    rewind(file);
    unsigned char *data = malloc(*size);
    check(path, !data || fread(data, 1, *size, file) != *size);
    fclose(file);
    return data;
}

/* The picture as planes of red, green and blue. */
static void read_picture(const char *path, float *planes) {
    static const float mean[] = {0.485f, 0.456f, 0.406f}, deviation[] = {0.229f, 0.224f, 0.225f};
    static unsigned char small[SIDE * SIDE * 3];
    int width, height, channels;
    size_t size;
    unsigned char *data = file_of(path, &size);
    unsigned char *pixels = stbi_load_from_memory(data, size, &width, &height, &channels, 3);
    check("decoding", !pixels);
    check("resizing", !stbir_resize_uint8(pixels, width, height, 0, small, SIDE, SIDE, 0, 3));
    for (int channel = 0; channel < 3; channel++)
        for (int i = 0; i < SIDE * SIDE; i++)
            planes[channel * SIDE * SIDE + i] =
                (small[i * 3 + channel] / 255.0f - mean[channel]) / deviation[channel];
    free(pixels);
    free(data);
}

static void ask(const char *path, float *planes, float *logits) {
    nn_graph graph;
    nn_execution_context context;
    size_t size;
    uint32_t written;
    nn_graph_builder model = {file_of(path, &size)};
    model.size = size;
    uint32_t shape[] = {1, 3, SIDE, SIDE};
    nn_tensor tensor = {shape, 4, NN_F32, (uint8_t *)planes, 3 * SIDE * SIDE * sizeof(float)};
    check("load", nn_load(&model, 1, NN_ONNX, NN_CPU, &graph));
    check("init_execution_context", nn_init_execution_context(graph, &context));
    check("set_input", nn_set_input(context, 0, &tensor));
    check("compute", nn_compute(context));
    check("get_output", nn_get_output(context, 0, (uint8_t *)logits, CLASSES * sizeof(float), &written));
}

static void softmax(float *values, int count) {
    float most = values[0], sum = 0;
    for (int i = 1; i < count; i++)
        if (values[i] > most) most = values[i];
    for (int i = 0; i < count; i++) sum += values[i] = expf(values[i] - most);
    for (int i = 0; i < count; i++) values[i] /= sum;
}

static int by_probability(const void *one, const void *other) {
    float a = ((const Class *)one)->probability, b = ((const Class *)other)->probability;
    return (a < b) - (a > b);
}

int main(int argc, char **argv) {
    static float planes[3 * SIDE * SIDE], logits[CLASSES];
    static Class classes[CLASSES];
    check("classify MODEL PICTURE", argc != 3);
    read_picture(argv[2], planes);
    ask(argv[1], planes, logits);
    softmax(logits, CLASSES);
    for (int i = 0; i < CLASSES; i++) classes[i] = (Class){i, logits[i]};
    qsort(classes, CLASSES, sizeof *classes, by_probability);
    for (int i = 0; i < SHOWN; i++) printf("%d %.6f\n", classes[i].number, classes[i].probability);
    return 0;
}
