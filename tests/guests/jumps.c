// setjmp and longjmp: out of nested calls, over loops, again and again, and with values of locals.
// Emscripten 3.1.6 (LLVM 14): emcc jumps.c jumps_env.c -o jumps.wasm -Os -sSUPPORT_LONGJMP=wasm -sSTANDALONE_WASM
// jumps_new.wasm is the same program in the newer encoding:
//   wasm-opt (binaryen 132) --enable-exception-handling --enable-reference-types --enable-multivalue
//     --enable-bulk-memory --enable-sign-ext --enable-nontrapping-float-to-int --translate-to-exnref
//     jumps.wasm -o jumps_new.wasm
#include <setjmp.h>
#include <stdio.h>

static jmp_buf outer, inner;

static void descend(int n) {
    if (n == 0) longjmp(inner, 5);
    descend(n - 1);
    printf("never\n");
}

static int nested(void) {
    volatile int tries = 0;
    int code = setjmp(inner);
    tries = tries + 1;
    printf("inner %d, try %d\n", code, tries);
    if (code == 0) descend(10);
    if (tries < 4) longjmp(inner, tries);
    if (tries == 4) longjmp(outer, 42);
    return code;
}

static int parse(const char *text, jmp_buf failed) {
    int value = 0;
    for (; *text; text++) {
        if (*text < '0' || *text > '9') longjmp(failed, *text);
        value = value * 10 + *text - '0';
    }
    return value;
}

int main(void) {
    int code = setjmp(outer);
    if (code == 0) nested();
    printf("outer %d\n", code);
    static const char *const texts[] = {"12", "3x4", "", "77", "!"};
    int sum = 0;
    for (volatile int n = 0; n < 5; n++) {
        jmp_buf failed;
        int wrong = setjmp(failed);
        if (wrong) {
            printf("%s: not %c\n", texts[n], wrong);
            continue;
        }
        sum += parse(texts[n], failed);
        printf("sum %d\n", sum);
    }
    volatile int rounds = 0;
    setjmp(outer);
    rounds = rounds + 1;
    if (rounds < 1000) longjmp(outer, 0);
    printf("rounds %d, longjmp(0) is %d\n", rounds, setjmp(outer));
    return 0;
}
