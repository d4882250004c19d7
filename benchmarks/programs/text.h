/* Text to work on: words that come again, from a generator that gives the same everywhere. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t state = 12345;

static uint32_t next(void) {
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

static char *some_text(size_t size) {
    char *text = malloc(size), word[12];
    size_t at = 0;
    while (at < size) {
        uint32_t kind = next() % 700, length = 2 + kind % 9;
        for (uint32_t i = 0; i < length; i++) word[i] = 'a' + (kind * 7 + i * (kind + 3)) % 26;
        word[length++] = kind % 11 ? ' ' : '\n';
        if (length > size - at) length = size - at;
        memcpy(text + at, word, length);
        at += length;
    }
    return text;
}

static uint32_t sum_of(const unsigned char *data, size_t size) {
    uint32_t sum = 2166136261u;
    for (size_t i = 0; i < size; i++) sum = (sum ^ data[i]) * 16777619u;
    return sum;
}
