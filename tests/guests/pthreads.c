// A pool of eight threads takes tasks from a queue and counts: atomically, with a mutex, and in variables of each thread.
// For each task a thread adds 1,000 to shared counters; without an argument there are 1,000 tasks.
//
// ziglang 0.17.1 of PyPI: its C library for wasm32-wasi has no threads, but it ships the sources of musl's threads (MIT licence) for
// Linux. pthreads_start.c is what they ask of a kernel. $Z is the folder of the package, and o/ one for what comes out:
//   W=$Z/lib/libc/wasi/libc-top-half/musl M=$Z/lib/libc/musl/src
//   zig() { $Z/zig $1 -target wasm32-wasi -mcpu=generic+atomics+bulk_memory+mutable_globals -Os "${@:2}"; }
//   musl() { zig cc -Wno-everything -D_REENTRANT -include pthreads_start.h -I$W/src/internal -I$W/src/include -I$M/include \
//     -I$W/arch/wasm32 -I$M/internal -I$Z/lib/libc/musl/arch/generic -c $1 -o o/$(basename $1).o; }
//   for f in pthread_mutex_{lock,timedlock,trylock,unlock} pthread_cond_{wait,timedwait,signal,broadcast} __wait __timedwait \
//     pthread_{once,key_create,setspecific,getspecific,setcancelstate,testcancel,cleanup_push} vmlock \
//     pthread_rwlock_{rdlock,wrlock,unlock,timedrdlock,timedwrlock,tryrdlock,trywrlock}; do musl $M/thread/$f.c; done
//   musl pthreads_start.c
//   $Z/zig wasm-ld -r o/*.o -o threads.o
//   zig cc threads.o pthreads.c -s -o pthreads.wasm \
//     -Wl,--shared-memory,--import-memory,--export-memory,--max-memory=16777216,-z,stack-size=65536
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORKERS = 8, PLACES = 4, ATOMIC = 500, LOCKED = 500, EACH_LOCK = 50 };

static struct {
    pthread_mutex_t mutex;
    pthread_cond_t filled, emptied;
    int tasks[PLACES], first, count, closed;
} queue = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER};

static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static atomic_uint by_atomics, made, freed;
static volatile unsigned by_lock;
static _Thread_local unsigned mine;

static void put(int task) {
    pthread_mutex_lock(&queue.mutex);
    while (queue.count == PLACES) pthread_cond_wait(&queue.emptied, &queue.mutex);
    queue.tasks[(queue.first + queue.count++) % PLACES] = task;
    pthread_cond_signal(&queue.filled);
    pthread_mutex_unlock(&queue.mutex);
}

static int take(void) {
    int task = -1;
    pthread_mutex_lock(&queue.mutex);
    while (!queue.count && !queue.closed) pthread_cond_wait(&queue.filled, &queue.mutex);
    if (queue.count) {
        task = queue.tasks[queue.first];
        queue.first = (queue.first + 1) % PLACES;
        queue.count--;
        pthread_cond_signal(&queue.emptied);
    }
    pthread_mutex_unlock(&queue.mutex);
    return task;
}

static void finish(void) {
    pthread_mutex_lock(&queue.mutex);
    queue.closed = 1;
    pthread_cond_broadcast(&queue.filled);
    pthread_mutex_unlock(&queue.mutex);
}

static void forget(void *value) {
    atomic_fetch_add(&freed, *(unsigned *)value);
}

static void make_key(void) {
    atomic_fetch_add(&made, 1);
    pthread_key_create(&key, forget);
}

static void *work(void *sum) {
    unsigned own = 0;
    pthread_once(&once, make_key);
    pthread_setspecific(key, &own);
    for (int task; (task = take()) >= 0; *(unsigned *)sum += task) {
        for (int i = 0; i < ATOMIC; i++) atomic_fetch_add(&by_atomics, 1);
        for (int i = 0; i < LOCKED; i += EACH_LOCK) {
            pthread_mutex_lock(&counting);
            for (int j = 0; j < EACH_LOCK; j++) by_lock++;
            pthread_mutex_unlock(&counting);
        }
        mine += ATOMIC + LOCKED;
        ++*(unsigned *)pthread_getspecific(key);
    }
    return (void *)(unsigned long)mine;
}

int main(int count, char **words) {
    int tasks = count > 1 ? atoi(words[1]) : 1000;
    pthread_t workers[WORKERS];
    unsigned sums[WORKERS] = {0}, all = 0, threads = 0;
    for (int i = 0; i < WORKERS; i++)
        if (pthread_create(&workers[i], 0, work, &sums[i])) return 1;
    for (int i = 0; i < tasks; i++) put(i);
    finish();
    for (int i = 0; i < WORKERS; i++) {
        void *result;
        if (pthread_join(workers[i], &result)) return 2;
        threads += (unsigned)(unsigned long)result;
        all += sums[i];
    }
    printf("%u by atomics, %u by a lock, %u by threads, once %u, tasks %u, sum %u, own %u\n",
           by_atomics, by_lock, threads, made, freed, all, mine);
    return 0;
}
