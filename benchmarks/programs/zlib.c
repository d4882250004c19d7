/* A round trip through zlib. */
#include "text.h"
#include "zlib.h"

int main(void) {
    uLongf size = 200000, packed_size = compressBound(size), unpacked_size = size;
    unsigned char *text = (unsigned char *)some_text(size), *packed = malloc(packed_size), *unpacked = malloc(size);
    if (compress2(packed, &packed_size, text, size, 6) != Z_OK) return 1;
    if (uncompress(unpacked, &unpacked_size, packed, packed_size) != Z_OK) return 2;
    printf("%lu to %lu, sum %08x, %s\n", size, packed_size, sum_of(packed, packed_size),
           unpacked_size == size && !memcmp(text, unpacked, size) ? "the same" : "DIFFERENT");
    return 0;
}
