/* The provider of library.wit, by hand: books are resources whose representation is an address. Strings are UTF-8.
 *
 * build: python -m ziglang cc -target wasm32-wasi -mexec-model=reactor -Wl,-z,stack-size=65536 -Os -s -o shelf.wasm shelf.c
 * build: node componentize.mjs shelf.wasm library.wit provider utf8
 */
#include "component.h"

#define SHELF "demo:library/shelf#"
#define OWN "[export]demo:library/shelf"

typedef struct book {
    list title, text;
    uint32_t lines;
    int32_t has_year, year;
    struct book *next;
} book;

typedef struct {
    list title;
    uint8_t genre;
    uint32_t lines;
    uint8_t has_year;
    int32_t year;
} entry;

static book *oldest;

static void *copy(const void *of, uint32_t size) {
    void *at = allocate(0, 0, 8, size);
    memcpy(at, of, size);
    return at;
}

IMPORT(OWN, "[resource-new]book") int32_t new_handle(book *of);
IMPORT(OWN, "[resource-rep]book") book *book_of(int32_t handle);
IMPORT(OWN, "[resource-drop]book") void drop_handle(int32_t handle);

EXPORT(SHELF "[constructor]book") int32_t make(void *title, uint32_t count, int32_t has_year, int32_t year) {
    book *made = calloc(1, sizeof *made);
    *made = (book){.title = {title, count}, .has_year = has_year, .year = year};
    book **last = &oldest;
    while (*last) last = &(*last)->next;
    *last = made;
    return new_handle(made);
}

EXPORT(SHELF "[dtor]book") void destroy(book *of) {
    book **before = &oldest;
    while (*before != of) before = &(*before)->next;
    *before = of->next;
    release(of->title);
    release(of->text);
    free(of);
}

static void append(book *of, list line) {
    of->text.at = realloc(of->text.count ? of->text.at : 0, of->text.count + line.count + 1);
    memcpy((char *)of->text.at + of->text.count, line.at, line.count);
    of->text.count += line.count;
    ((char *)of->text.at)[of->text.count++] = '\n';
    of->lines++;
}

static struct {
    uint8_t is_error;
    union {
        uint32_t bytes;
        list message;
    };
} added;

EXPORT(SHELF "[method]book.add") void *add(book *self, void *at, uint32_t count) {
    list line = {at, count};
    added.is_error = count == 9 && !memcmp(at, "forbidden", 9);
    if (added.is_error) {
        static const char message[] = "“forbidden” isn’t allowed";
        added.message = (list){copy(message, sizeof message - 1), sizeof message - 1};
    } else {
        append(self, line);
        added.bytes = self->text.count;
    }
    release(line);
    return &added;
}

EXPORT("cabi_post_" SHELF "[method]book.add") void after_add(void *result) {
    (void)result;
    if (added.is_error) release(added.message);
}

/* Strings that are lent to whoever reads the result: a book keeps its text. */
static list lent;

EXPORT(SHELF "[method]book.text") list *text(book *self) {
    lent = self->text;
    return &lent;
}

EXPORT(SHELF "[static]book.join") int32_t join(int32_t first, int32_t second) {
    book *one = book_of(first), *other = book_of(second);
    int32_t joined = make(copy(one->title.at, one->title.count), one->title.count, one->has_year, one->year);
    book *made = book_of(joined);
    made->text.count = one->text.count + other->text.count;
    made->text.at = made->text.count ? allocate(0, 0, 1, made->text.count) : 0;
    memcpy(made->text.at, one->text.at, one->text.count);
    memcpy((char *)made->text.at + one->text.count, other->text.at, other->text.count);
    made->lines = one->lines + other->lines;
    drop_handle(first);
    drop_handle(second);
    return joined;
}

static struct {
    uint8_t is_some;
    list text;
} found;

EXPORT(SHELF "longest") void *longest(book **books, uint32_t count) {
    found.is_some = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!found.is_some || books[i]->text.count > found.text.count) {
            found.is_some = 1;
            found.text = books[i]->text;
        }
    }
    release((list){books, count});
    return &found;
}

EXPORT(SHELF "entries") list *entries(void) {
    uint32_t count = 0;
    for (book *each = oldest; each; each = each->next) count++;
    entry *made = allocate(0, 0, 4, count * sizeof *made);
    lent = (list){made, count};
    for (book *each = oldest; each; each = each->next, made++) {
        *made = (entry){each->title, each->lines > 1, each->lines, each->has_year, each->year};
    }
    return &lent;
}

EXPORT("cabi_post_" SHELF "entries") void after_entries(list *result) { release(*result); }
