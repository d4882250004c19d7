/* A picture as JPEG and as PNG, decoded and made as large as a classifier wants it. */
#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_RESIZE_IMPLEMENTATION
#define STBI_NO_THREAD_LOCALS
#define STBI_NO_SIMD
#include "text.h"
#include "stb_image.h"
#include "stb_image_resize.h"
#include "stb_image_write.h"

enum { WIDTH = 160, HEIGHT = 120, SIDE = 96 };

static unsigned char file[1 << 18];
static size_t size;

static void keep(void *unused, void *data, int count) {
    memcpy(file + size, data, count);
    size += count;
}

static void show(const char *format) {
    int width, height, channels;
    static float small[SIDE * SIDE * 3];
    static unsigned char bytes[SIDE * SIDE * 3];
    unsigned char *pixels = stbi_load_from_memory(file, size, &width, &height, &channels, 3);
    if (!pixels) exit(1);
    stbir_resize_uint8(pixels, width, height, 0, bytes, SIDE, SIDE, 0, 3);
    for (int i = 0; i < SIDE * SIDE * 3; i++) small[i] = (bytes[i] / 255.0f - 0.45f) / 0.225f;
    printf("%s of %zu bytes, %d x %d, sums %08x %08x\n", format, size, width, height,
           sum_of(bytes, sizeof bytes), sum_of((unsigned char *)small, sizeof small));
    free(pixels);
}

int main(void) {
    static unsigned char pixels[WIDTH * HEIGHT * 3];
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            unsigned char *pixel = pixels + 3 * (y * WIDTH + x);
            pixel[0] = x * 255 / WIDTH;
            pixel[1] = (x * y / 20) & 255;
            pixel[2] = (y * 2 + (next() & 15)) & 255;
        }
    stbi_write_jpg_to_func(keep, 0, WIDTH, HEIGHT, 3, pixels, 85);
    show("JPEG");
    size = 0;
    stbi_write_png_to_func(keep, 0, WIDTH, HEIGHT, 3, pixels, WIDTH * 3);
    show("PNG");
    return 0;
}
