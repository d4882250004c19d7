/* The reader of library.wit, by hand: it imports books from whoever keeps them. Strings are UTF-16.
 *
 * build: python -m ziglang cc -target wasm32-wasi -mexec-model=reactor -Wl,-z,stack-size=65536 -Os -s -o reader.wasm reader.c
 * build: node componentize.mjs reader.wasm library.wit reader utf16
 */
#include "component.h"

#define READING "demo:library/reading#"
#define SHELF "demo:library/shelf"

typedef struct {
    uint8_t is_error;
    union {
        uint32_t value;
        list text;
    };
} result;

typedef struct {
    list title;
    uint8_t genre;
    uint32_t lines;
    uint8_t has_year;
    int32_t year;
} entry;

IMPORT(SHELF, "[constructor]book") int32_t make(void *title, uint32_t count, int32_t has_year, int32_t year);
IMPORT(SHELF, "[method]book.add") void add(int32_t book, void *line, uint32_t count, result *added);
IMPORT(SHELF, "[method]book.text") void text_of(int32_t book, list *text);
IMPORT(SHELF, "[static]book.join") int32_t join(int32_t first, int32_t second);
IMPORT(SHELF, "[resource-drop]book") void drop(int32_t book);
IMPORT(SHELF, "entries") void entries(list *found);
IMPORT("demo:library/critics", "judge") void judge(void *text, uint32_t count, result *judged);

/* A book of these lines; the first error ends it. */
static int32_t written(list title, list lines, result *last) {
    int32_t book = make(title.at, title.count, title.count == 0, -44);
    release(title);
    last->is_error = 0;
    for (uint32_t i = 0; i < lines.count; i++) {
        list line = ((list *)lines.at)[i];
        if (!last->is_error) add(book, line.at, line.count, last);
        release(line);
    }
    release(lines);
    return book;
}

static result told;

EXPORT(READING "retold") void *retold(void *title, uint32_t count, void *lines, uint32_t line_count) {
    int32_t book = written((list){title, count}, (list){lines, line_count}, &told);
    if (!told.is_error) text_of(book, &told.text);
    drop(book);
    return &told;
}

EXPORT("cabi_post_" READING "retold") void after_retold(result *given) { release(given->text); }

EXPORT(READING "write") int32_t write_book(void *title, uint32_t count, void *lines, uint32_t line_count) {
    result last;
    int32_t book = written((list){title, count}, (list){lines, line_count}, &last);
    if (last.is_error) __builtin_trap();
    return book;
}

EXPORT(READING "units") uint32_t units(int32_t book) {
    list text;
    text_of(book, &text);
    drop(book);
    release(text);
    return text.count;
}

EXPORT(READING "doubled") int32_t doubled(int32_t book) {
    list text;
    text_of(book, &text);
    int32_t other = make(0, 0, 0, 0);
    result added;
    /* Without the end of its last line, which it gets again. */
    add(other, text.at, text.count ? text.count - 1 : 0, &added);
    release(added.is_error ? added.text : (list){0, 0});
    release(text);
    return join(book, other);
}

static list listed;

EXPORT(READING "catalogue") list *catalogue(void) {
    entries(&listed);
    for (uint32_t i = 0; i < listed.count; i++) {
        list title = ((entry *)listed.at)[i].title;
        uint16_t *unit = title.at;
        for (uint32_t j = 0; j < title.count; j++) {
            if (unit[j] >= 'a' && unit[j] <= 'z') unit[j] -= 'a' - 'A';
        }
    }
    return &listed;
}

EXPORT("cabi_post_" READING "catalogue") void after_catalogue(list *given) {
    for (uint32_t i = 0; i < given->count; i++) release(((entry *)given->at)[i].title);
    release(*given);
}

EXPORT(READING "review") void *review(int32_t book) {
    list text;
    text_of(book, &text);
    judge(text.at, text.count, &told);
    release(text);
    drop(book);
    if (!told.is_error) {
        uint32_t stars = told.value & 0xff;
        uint16_t *at = allocate(0, 0, 2, 2 * stars);
        for (uint32_t i = 0; i < stars; i++) at[i] = 0x2605;
        told.text = (list){at, stars};
    }
    return &told;
}

EXPORT("cabi_post_" READING "review") void after_review(result *given) { release(given->text); }
