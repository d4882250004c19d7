/* Variables of all kinds for a debugger: numbers, structures, arrays, pointers, strings, an enumeration, a union.
 *
 * build: python -m ziglang cc -target wasm32-wasi -O0 -g -nostdlib -fno-builtin -fno-sanitize=undefined -fdebug-compilation-dir=. -o variables.wasm variables.c
 */
enum colour { RED, GREEN = 5, BLUE };
struct point { int x; float y; };
struct shape { const char *name; struct point at; struct point *other; unsigned char tag[4]; enum colour colour; };
union either { int whole; float real; };
typedef unsigned long long big;

static int counter = 40;
static struct point origin = {-1, 0.5f};

static int area(struct shape *shape, int scale) {
    int size = shape->at.x * scale;
    big large = 1ull << 40;
    double ratio = 2.25;
    char letter = 'w';
    _Bool ready = 1;
    int table[3] = {size, -size, counter};
    union either either = {.real = 1.5f};
    shape->tag[3] = (unsigned char)scale;
    counter += table[0] + (int)large + (int)ratio + letter + ready + either.whole;
    return table[2] + 1;
}

void _start(void) {
    struct shape shape = {"triangle", {3, 1.5f}, &origin, {1, 2, 3, 4}, GREEN};
    int result = area(&shape, 7);
    result += area(&shape, 9);
    counter = result;
}
