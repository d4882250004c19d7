/* Does one thing that must trap, three named calls deep.
 *
 * build: python -m ziglang cc -target wasm32-wasi -O1 -g0 -nostdlib -fno-builtin -fno-sanitize=undefined -o traps.wasm traps.c
 *
 *     traps unreachable | divide | overflow | load | store | null_call | wrong_type | recurse
 *
 * It does without the C library so that the linker can keep the names of functions without anyone's debug information: a trap
 * can tell where it happened.
 */
#include <stdint.h>

#define NOINLINE __attribute__((noinline))
#define WASI(name) __attribute__((import_module("wasi_snapshot_preview1"), import_name(#name)))

typedef struct {
    const char *text;
    uint32_t size;
} Piece;

WASI(args_get) uint32_t args_get(char **arguments, char *text);
WASI(args_sizes_get) uint32_t args_sizes_get(uint32_t *count, uint32_t *size);
WASI(fd_write) uint32_t fd_write(uint32_t fd, const Piece *pieces, uint32_t count, uint32_t *written);

/* What the optimiser must not know. */
static volatile int zero = 0, most_negative = INT32_MIN, minus_one = -1;
static volatile uintptr_t outside = 0xfffffff0;
static int (*volatile nowhere)(int);

typedef double (*Other)(double, double);
static int plain(int x) { return x + 1; }
static void *volatile a_plain_function = (void *)plain;

static NOINLINE void divide(void) { zero = most_negative / zero; }
static NOINLINE void overflow(void) { zero = most_negative / minus_one; }
static NOINLINE void load(void) { zero = *(volatile int *)outside; }
static NOINLINE void store(void) { *(volatile int *)outside = 1; }
static NOINLINE void null_call(void) { zero = nowhere(1); }
static NOINLINE void wrong_type(void) { zero = (int)((Other)a_plain_function)(1, 2); }
static NOINLINE int recurse(int depth) { return depth < 0 ? 0 : recurse(depth + 1) + zero; }

static int equal(const char *a, const char *b) {
    while (*a && *a == *b) a++, b++;
    return *a == *b;
}

static void print(const char *text, uint32_t size) {
    Piece piece = {text, size};
    fd_write(1, &piece, 1, &size);
}

static NOINLINE void perform(const char *what) {
    if (equal(what, "unreachable")) __builtin_trap();
    if (equal(what, "divide")) divide();
    if (equal(what, "overflow")) overflow();
    if (equal(what, "load")) load();
    if (equal(what, "store")) store();
    if (equal(what, "null_call")) null_call();
    if (equal(what, "wrong_type")) wrong_type();
    if (equal(what, "recurse")) zero = recurse(0);
}

void _start(void) {
    static char *arguments[8], text[256];
    uint32_t count, size;
    if (args_sizes_get(&count, &size) || count > 8 || size > sizeof text || args_get(arguments, text)) return;
    print("before\n", 7);
    for (uint32_t i = 1; i < count; i++) perform(arguments[i]);
    print("after\n", 6);
}
