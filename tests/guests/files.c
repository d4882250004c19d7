/* Works with files below the directory that it is given, and prints what it finds after each step.
 *
 * build: python -m ziglang cc -target wasm32-wasi -Os -s -o files.wasm files.c
 * build: npx jco new files.wasm --wasi-command -o components/files.wasm
 *
 * The directory must be empty and writable; it is empty again at the end. The output is the same everywhere.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char paths[4][256];
static const char *directory;

/* A path below the directory; four may be in use at once. */
static const char *at(const char *name) {
    static int turn;
    char *path = paths[turn++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", directory, name);
    return path;
}

static void need(int ok, const char *step) {
    if (ok) return;
    printf("%s: %s\n", step, strerror(errno));
    exit(1);
}

static void show(const char *name) {
    static char text[256];
    FILE *file = fopen(at(name), "r");
    need(file != NULL, "show");
    size_t count = fread(text, 1, sizeof text - 1, file);
    text[count] = 0;
    fclose(file);
    printf("%s holds \"%s\"\n", name, text);
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void list(const char *name) {
    char *names[16];
    int count = 0;
    DIR *open = opendir(at(name));
    need(open != NULL, "opendir");
    for (struct dirent *entry; (entry = readdir(open)) && count < 16;)
        if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..")) names[count++] = strdup(entry->d_name);
    closedir(open);
    qsort(names, count, sizeof *names, by_name);
    printf("%s has %d:", name, count);
    for (int i = 0; i < count; i++) printf(" %s", names[i]);
    printf("\n");
}

static void expect_error(int result, int error, const char *what) {
    printf("%s: %s\n", what, result < 0 && errno == error ? "refused as it should be" : "WRONG");
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    directory = argv[1];

    FILE *file = fopen(at("a.txt"), "w");
    need(file != NULL, "fopen");
    fprintf(file, "0123456789");
    need(fclose(file) == 0, "fclose");
    show("a.txt");

    file = fopen(at("a.txt"), "a");
    fprintf(file, "end");
    fclose(file);
    show("a.txt");

    int fd = open(at("a.txt"), O_RDWR);
    char byte;
    need(lseek(fd, 4, SEEK_SET) == 4 && write(fd, "XY", 2) == 2, "seek and write");
    need(lseek(fd, -3, SEEK_END) == 10 && read(fd, &byte, 1) == 1, "seek from the end");
    printf("the byte at 10 is '%c', the position is %d\n", byte, (int)lseek(fd, 0, SEEK_CUR));
    need(pread(fd, &byte, 1, 5) == 1, "pread");
    printf("the byte at 5 is '%c', the position is %d\n", byte, (int)lseek(fd, 0, SEEK_CUR));
    need(ftruncate(fd, 6) == 0, "ftruncate");
    close(fd);
    show("a.txt");

    struct stat found;
    need(stat(at("a.txt"), &found) == 0, "stat");
    printf("a.txt: %d bytes, %s\n", (int)found.st_size, S_ISREG(found.st_mode) ? "a file" : "WRONG");
    need(mkdir(at("sub"), 0777) == 0 && stat(at("sub"), &found) == 0, "mkdir");
    printf("sub: %s\n", S_ISDIR(found.st_mode) ? "a directory" : "WRONG");

    need(rename(at("a.txt"), at("sub/b.txt")) == 0, "rename");
    list(".");
    list("sub");
    show("sub/b.txt");

    expect_error(open(at("nothing"), O_RDONLY), ENOENT, "opening what is not there");
    expect_error(open(at("sub/b.txt"), O_CREAT | O_EXCL | O_WRONLY), EEXIST, "creating what is there");
    expect_error(rmdir(at("sub")), ENOTEMPTY, "removing a directory that is not empty");
    expect_error(open(at("sub/../../../etc/passwd"), O_RDONLY), EPERM, "leaving the directory");

    need(unlink(at("sub/b.txt")) == 0 && rmdir(at("sub")) == 0, "cleaning up");
    list(".");
    return 0;
}
