// What musl's threads ask of a kernel, on wasi-threads: futexes, starting a thread and waiting for its end.
// Memory of threads that have ended is not given back, and nothing is cancelled.
#include "pthread_impl.h"
#include <stdarg.h>
#include <stdlib.h>

enum { STACK = 16384 };

__attribute__((import_module("wasi"), import_name("thread-spawn"))) int spawn(void *start);
void __wasm_init_tls(void *block);

_Thread_local struct pthread __wasilibc_pthread_self;

struct start {
    char *stack, *block;  // wasi_thread_start reads both
    void *(*function)(void *);
    void *argument;
};

__asm__(".globaltype __stack_pointer, i32\n"
        ".globaltype __tls_base, i32\n"
        ".functype begin (i32, i32) -> ()\n"
        ".globl wasi_thread_start\n"
        ".type wasi_thread_start,@function\n"
        "wasi_thread_start:\n"
        ".functype wasi_thread_start (i32, i32) -> ()\n"
        "local.get 1\ni32.load 0\nglobal.set __stack_pointer\n"
        "local.get 1\ni32.load 4\nglobal.set __tls_base\n"
        "local.get 0\nlocal.get 1\ncall begin\n"
        "end_function\n"
        ".export_name wasi_thread_start, wasi_thread_start\n");

long __syscall(long number, ...) {
    va_list words;
    va_start(words, number);
    int *address = va_arg(words, int *);
    int operation = va_arg(words, int) & ~FUTEX_PRIVATE, value = va_arg(words, int);
    const struct timespec *time = va_arg(words, const struct timespec *);
    va_end(words);
    if (number != SYS_futex) return -ENOSYS;
    if (operation == FUTEX_WAKE) return __builtin_wasm_memory_atomic_notify(address, value);
    if (operation == FUTEX_REQUEUE) return __builtin_wasm_memory_atomic_notify(address, 1);
    if (operation != FUTEX_WAIT) return -ENOSYS;
    long long nanoseconds = time ? time->tv_sec * 1000000000LL + time->tv_nsec : -1;
    return (const int[]){0, -EAGAIN, -ETIMEDOUT}[__builtin_wasm_memory_atomic_wait32(address, value, nanoseconds)];
}

__attribute__((constructor)) static void begin_first(void) {
    __wasilibc_pthread_self.tid = 0x20000000;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *), void *argument) {
    size_t size = __builtin_wasm_tls_size(), values = sizeof(void *) * PTHREAD_KEYS_MAX;
    char *memory = calloc(1, sizeof(struct start) + values + STACK + size + 64), *mine = __builtin_wasm_tls_base();
    if (!memory) return EAGAIN;
    struct start *start = (void *)memory;
    start->stack = (char *)((uintptr_t)(memory + sizeof *start + values + STACK) & -16);
    start->block = (char *)((uintptr_t)(start->stack + 16) & -16);
    start->function = function;
    start->argument = argument;
    struct pthread *other = (void *)(start->block + ((char *)&__wasilibc_pthread_self - mine));
    __wasm_init_tls(start->block);
    __asm__ volatile("local.get %0\nglobal.set __tls_base" ::"r"(mine));
    other->tsd = (void **)(start + 1);
    other->detach_state = DT_JOINABLE;
    int number = spawn(start);
    if (number < 0) return EAGAIN;
    *thread = other;
    return 0;
}

void begin(int number, struct start *start) {
    struct pthread *self = &__wasilibc_pthread_self;
    self->tid = number;
    self->result = start->function(start->argument);
    __pthread_tsd_run_dtors();
    a_store(&self->detach_state, DT_EXITED);
    __wake(&self->detach_state, -1, 1);
}

int pthread_join(pthread_t thread, void **result) {
    while (thread->detach_state != DT_EXITED) __wait(&thread->detach_state, 0, DT_JOINABLE, 1);
    if (result) *result = thread->result;
    return 0;
}
