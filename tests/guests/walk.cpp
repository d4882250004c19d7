// Works with files below the directory that it is given, from C++: makes, walks, renames, deletes.
// Exceptions are off because zig has no runtime for them on this target, whose library has neither std::filesystem
// nor file streams.
// build: python -m ziglang c++ -target wasm32-wasi -Os -s -fno-exceptions -o walk_cpp.wasm walk.cpp
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <dirent.h>
#include <memory>
#include <iostream>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

static std::string root;

static std::string at(const std::string &name) { return root + "/" + name; }

static void walk(const std::string &below, std::vector<std::string> &lines) {
    DIR *directory = opendir(at(below).c_str());
    if (!directory) return;
    while (dirent *entry = readdir(directory)) {
        std::string name = entry->d_name;
        if (name == "." || name == "..") continue;
        std::string path = below.empty() ? name : below + "/" + name;
        struct stat found;
        if (lstat(at(path).c_str(), &found) != 0) {
            lines.push_back(path + ": " + std::strerror(errno));
        } else if (S_ISDIR(found.st_mode)) {
            lines.push_back(path + "/");
            walk(path, lines);
        } else {
            lines.push_back(path + (S_ISLNK(found.st_mode) ? " a link of " : " ") + std::to_string(found.st_size));
        }
    }
    closedir(directory);
}

static void show(const char *when) {
    std::vector<std::string> lines;
    walk("", lines);
    std::sort(lines.begin(), lines.end());
    std::cout << when << "\n";
    for (auto &line : lines) std::cout << "  " << line << "\n";
}

using File = std::unique_ptr<FILE, int (*)(FILE *)>;

static File open(const std::string &name, const char *mode) { return File(fopen(at(name).c_str(), mode), fclose); }

static void put(const std::string &name, const char *mode, const std::string &text) {
    File file = open(name, mode);
    if (!file || fwrite(text.data(), 1, text.size(), file.get()) != text.size()) std::cout << "can't write\n";
}

static void tell(const char *what, int result) {
    std::cout << what << ": " << (result == 0 ? "done" : std::strerror(errno)) << "\n";
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    root = argv[1];
    for (auto name : {"a", "a/b", "a/b/c"}) tell(name, mkdir(at(name).c_str(), 0777));
    for (int i = 0; i < 5; i++) put("a/file" + std::to_string(i), "w", std::string(i * 1000, 'x'));
    tell("link", symlink("../file1", at("a/b/link").c_str()));
    show("made");
    tell("rename", rename(at("a/file4").c_str(), at("a/b/c/moved").c_str()));
    tell("rename a directory", rename(at("a/b").c_str(), at("b").c_str()));
    tell("rename a file onto a directory", rename(at("a/file3").c_str(), at("b").c_str()));
    tell("follow the link that leads nowhere now", access(at("b/link").c_str(), R_OK));
    {
        File file = open("a/file1", "r+");
        char end[6] = "";
        fseek(file.get(), 998, SEEK_SET);
        fputs("abcd", file.get());
        fseek(file.get(), -5, SEEK_END);
        fread(end, 1, 5, file.get());
        std::cout << "the end is " << end << "\n";
    }
    put("a/file0", "a", "more");
    show("changed");
    tell("remove what is full", rmdir(at("b/c").c_str()));
    for (auto name : {"b/c/moved", "b/link", "a/file0", "a/file1", "a/file2", "a/file3"}) {
        tell(name, unlink(at(name).c_str()));
    }
    show("removed");
    for (auto name : {"b/c", "b", "a"}) tell(name, rmdir(at(name).c_str()));
    show("nothing left");
}
