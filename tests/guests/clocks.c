/* Clocks, sleeping and random bytes: prints one line for each that keeps its promise.
 *
 * build: python -m ziglang cc -target wasm32-wasi -Os -s -o clocks.wasm clocks.c
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int64_t now(clockid_t clock) {
    struct timespec time;
    if (clock_gettime(clock, &time)) return -1;
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int main(void) {
    if (now(CLOCK_REALTIME) > 1700000000ll * 1000000000) puts("the wall clock is past 2023");
    int64_t before = now(CLOCK_MONOTONIC);
    struct timespec pause = {.tv_nsec = 20 * 1000 * 1000};
    if (nanosleep(&pause, NULL)) return 1;
    int64_t slept = now(CLOCK_MONOTONIC) - before;
    if (slept >= 20 * 1000 * 1000) puts("20 ms of sleep take 20 ms");
    unsigned char first[32], second[32];
    if (getentropy(first, sizeof first) || getentropy(second, sizeof second)) return 1;
    if (memcmp(first, second, sizeof first)) puts("random bytes differ");
    return 0;
}
