/* Sums a table beyond its end and beyond memory: a trap whose backtrace can name lines of this file.
 *
 * build: python -m ziglang cc -target wasm32-wasi -O1 -g -nostdlib -fno-builtin -fno-sanitize=undefined -fdebug-compilation-dir=. -o source.wasm source.c
 */
#define NOINLINE __attribute__((noinline))

static int table[4] = {1, 2, 3, 4};
static volatile int far = 0x3ffffff0;

static inline int element(const int *numbers, int index) {
    return numbers[index];
}

static NOINLINE int sum(const int *numbers, int count) {
    int total = 0;
    for (int i = 0; i < count; i++)
        total += element(numbers, i);
    return total;
}

static NOINLINE int both(int count) {
    return sum(table, 4) +
           sum(table + far, count);
}

void _start(void) {
    far = both(far);
}
