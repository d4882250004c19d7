/* Which digit is this? A whole wasi-nn program: reads PGM pictures, asks a model, prints what it thinks.
 *
 * build: python -m ziglang cc -target wasm32-wasi -Os -s -I ../../../pywasm_nn/guest/include -o ../app.wasm digits.c
 *
 *     digits [picture.pgm ...] [model]       (by default models/digit.pgm and models/digits.onnx)
 *
 * The model's kind follows from its name: .onnx, .tflite, or .xml with a .bin beside it. For one picture the program prints its
 * three best guesses; for several, one line each. A PGM file may hold several pictures, one after another, as the format allows.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "wasi_nn.h"

enum { DIGITS = 10, MAX_PIXELS = 64 * 64 };

typedef struct {
    uint8_t *data;
    uint32_t size;
} File;

typedef struct {
    uint32_t width, height;
    float pixels[MAX_PIXELS]; /* from 0 to 1, as in training */
} Picture;

/* Text goes out by write(2): printf would make the program four times as big. */
static void put(int fd, const char *text) { write(fd, text, strlen(text)); }

static void put_number(uint32_t number) {
    char text[11], *p = text + sizeof text;
    *--p = 0;
    do {
        *--p = '0' + number % 10;
    } while (number /= 10);
    put(STDOUT_FILENO, p);
}

static _Noreturn void fail(const char *what, const char *why) {
    put(STDERR_FILENO, "digits: ");
    put(STDERR_FILENO, what);
    put(STDERR_FILENO, ": ");
    put(STDERR_FILENO, why);
    put(STDERR_FILENO, "\n");
    exit(1);
}

static void check(const char *function, nn_errno error) {
    if (error) fail(function, nn_errno_name(error));
}

static File read_file(const char *path) {
    int fd = open(path, O_RDONLY);
    if (fd < 0) fail(path, "cannot open");
    File file = {0};
    for (uint32_t capacity = 1 << 15;; capacity *= 2) {
        file.data = realloc(file.data, capacity);
        if (!file.data) fail(path, "out of memory");
        ssize_t count;
        while (file.size < capacity && (count = read(fd, file.data + file.size, capacity - file.size))) {
            if (count < 0) fail(path, "cannot read");
            file.size += count;
        }
        if (file.size < capacity) break;
    }
    close(fd);
    return file;
}

static int ends_with(const char *text, const char *end) {
    size_t length = strlen(text), wanted = strlen(end);
    return length >= wanted && !strcmp(text + length - wanted, end);
}

/* PGM: https://netpbm.sourceforge.net/doc/pgm.html */

static const uint8_t *skip_space(const uint8_t *p, const uint8_t *end) {
    while (p < end && (*p == '#' || *p == ' ' || (*p >= '\t' && *p <= '\r'))) {
        if (*p == '#')
            while (p < end && *p != '\n') p++;
        else
            p++;
    }
    return p;
}

static uint32_t read_number(const uint8_t **p, const uint8_t *end, const char *path) {
    uint32_t number = 0;
    *p = skip_space(*p, end);
    if (*p == end || **p < '0' || **p > '9') fail(path, "not a PGM picture");
    while (*p < end && **p >= '0' && **p <= '9' && number < 100000) number = number * 10 + *(*p)++ - '0';
    return number;
}

/* Reads the picture at *p and moves *p behind it. */
static void read_picture(Picture *picture, const uint8_t **p, const uint8_t *end, const char *path) {
    if (end - *p < 2 || (*p)[0] != 'P' || ((*p)[1] != '2' && (*p)[1] != '5')) fail(path, "not a PGM picture");
    int binary = (*p)[1] == '5';
    *p += 2;
    picture->width = read_number(p, end, path);
    picture->height = read_number(p, end, path);
    uint32_t white = read_number(p, end, path);
    if (!white || white > 255) fail(path, "only PGM pictures of up to 256 shades are read");
    uint32_t count = picture->width * picture->height;
    if (!count) fail(path, "the picture is empty");
    if (picture->width > MAX_PIXELS || count > MAX_PIXELS) fail(path, "too many pixels");
    if (binary) ++*p;
    if (binary && end - *p < (ptrdiff_t)count) fail(path, "the picture is cut short");
    for (uint32_t i = 0; i < count; i++)
        picture->pixels[i] = (float)(binary ? *(*p)++ : read_number(p, end, path)) / (float)white;
}

/* The model, and whether its pictures have the channel last. */

typedef struct {
    nn_execution_context context;
    int channel_last;
} Model;

static Model load(const char *path) {
    nn_encoding encoding;
    nn_graph_builder parts[2];
    uint32_t count = 1;
    File file = read_file(path);
    parts[0] = (nn_graph_builder){file.data, file.size};
    if (ends_with(path, ".onnx")) {
        encoding = NN_ONNX;
    } else if (ends_with(path, ".tflite")) {
        encoding = NN_TENSORFLOWLITE;
    } else if (ends_with(path, ".xml")) {
        encoding = NN_OPENVINO;
        char *weights = strdup(path);
        memcpy(weights + strlen(weights) - 3, "bin", 3);
        file = read_file(weights);
        parts[1] = (nn_graph_builder){file.data, file.size};
        count = 2;
    } else {
        fail(path, "not a .pgm picture, nor a model: .onnx, .tflite or .xml");
    }
    nn_graph graph;
    Model model = {.channel_last = encoding == NN_TENSORFLOWLITE};
    check("load", nn_load(parts, count, encoding, NN_CPU, &graph));
    check("init_execution_context", nn_init_execution_context(graph, &model.context));
    return model;
}

static void ask(const Model *model, const Picture *picture, float probabilities[DIGITS]) {
    uint32_t first[4] = {1, 1, picture->height, picture->width};
    uint32_t last[4] = {1, picture->height, picture->width, 1};
    nn_tensor tensor = {
        .dimensions = model->channel_last ? last : first,
        .rank = 4,
        .type = NN_F32,
        .data = (const uint8_t *)picture->pixels,
        .size = picture->width * picture->height * sizeof(float),
    };
    uint32_t written;
    check("set_input", nn_set_input(model->context, 0, &tensor));
    check("compute", nn_compute(model->context));
    check("get_output", nn_get_output(
        model->context, 0, (uint8_t *)probabilities, DIGITS * sizeof(float), &written));
    if (written != DIGITS * sizeof(float)) fail("get_output", "the model does not answer with ten numbers");
}

/* The most probable digit; it is taken out, so that the next call gives the next one. */
static uint32_t take_best(float probabilities[DIGITS], float *probability) {
    uint32_t best = 0;
    for (uint32_t i = 1; i < DIGITS; i++)
        if (probabilities[i] > probabilities[best]) best = i;
    *probability = probabilities[best];
    probabilities[best] = -1;
    return best;
}

static void print_three(float probabilities[DIGITS]) {
    for (int i = 0; i < 3; i++) {
        float probability;
        uint32_t digit = take_best(probabilities, &probability);
        uint32_t tenths = (uint32_t)(probability * 1000 + 0.5f);
        put_number(digit);
        put(STDOUT_FILENO, tenths < 100 ? "   " : tenths < 1000 ? "  " : " ");
        put_number(tenths / 10);
        put(STDOUT_FILENO, ".");
        put_number(tenths % 10);
        put(STDOUT_FILENO, " %\n");
    }
}

/* One of several pictures: its file, its number if the file has more than one, the digit. */
static void print_line(const char *path, int numbered, uint32_t number, float probabilities[DIGITS]) {
    float probability;
    put(STDOUT_FILENO, path);
    if (numbered) {
        put(STDOUT_FILENO, "[");
        put_number(number);
        put(STDOUT_FILENO, "]");
    }
    put(STDOUT_FILENO, ": ");
    put_number(take_best(probabilities, &probability));
    put(STDOUT_FILENO, "\n");
}

static void classify_file(const Model *model, const char *path, int among_others) {
    static Picture picture;
    File file = read_file(path);
    const uint8_t *p = file.data, *end = file.data + file.size;
    uint32_t number = 0;
    do {
        float probabilities[DIGITS];
        read_picture(&picture, &p, end, path);
        ask(model, &picture, probabilities);
        p = skip_space(p, end);
        int numbered = number > 0 || p < end;
        if (among_others || numbered)
            print_line(path, numbered, number, probabilities);
        else
            print_three(probabilities);
        number++;
    } while (p < end);
    free(file.data);
}

int main(int argc, char **argv) {
    const char *model_path = "models/digits.onnx";
    int pictures = 0;
    for (int i = 1; i < argc; i++) {
        if (ends_with(argv[i], ".pgm"))
            pictures++;
        else
            model_path = argv[i];
    }
    Model model = load(model_path);
    if (!pictures) classify_file(&model, "models/digit.pgm", 0);
    for (int i = 1; i < argc; i++)
        if (ends_with(argv[i], ".pgm")) classify_file(&model, argv[i], pictures > 1);
    return 0;
}
