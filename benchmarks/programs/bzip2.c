/* A round trip through bzip2. */
#include "bzlib.h"
#include "text.h"

void bz_internal_error(int code) {
    printf("error %d\n", code);
    exit(1);
}

int main(void) {
    unsigned size = 60000, packed_size = size + 1000, unpacked_size = size;
    char *text = some_text(size), *packed = malloc(packed_size), *unpacked = malloc(size);
    if (BZ2_bzBuffToBuffCompress(packed, &packed_size, text, size, 1, 0, 0) != BZ_OK) return 1;
    if (BZ2_bzBuffToBuffDecompress(unpacked, &unpacked_size, packed, packed_size, 0, 0) != BZ_OK) return 2;
    printf("%u to %u, sum %08x, %s\n", size, packed_size, sum_of((unsigned char *)packed, packed_size),
           unpacked_size == size && !memcmp(text, unpacked, size) ? "the same" : "DIFFERENT");
    return 0;
}
