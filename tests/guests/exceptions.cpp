// Exceptions in C++: classes and their bases, cleanups, rethrowing, nesting, and through many frames.
// Emscripten 3.1.6 (LLVM 14): em++ exceptions.cpp -o exceptions.wasm -Os -fwasm-exceptions -sSTANDALONE_WASM
// exceptions_new.wasm is the same program in the newer encoding, for comparison with other engines:
//   wasm-opt (binaryen 132) --enable-exception-handling --enable-reference-types --enable-multivalue
//     --enable-bulk-memory --enable-sign-ext --enable-nontrapping-float-to-int --translate-to-exnref
//     exceptions.wasm -o exceptions_new.wasm
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

struct Noisy {
    const char *name;
    explicit Noisy(const char *name) : name(name) { printf("+%s ", name); }
    ~Noisy() { printf("-%s ", name); }
};

struct Shape { virtual ~Shape() = default; virtual int sides() const { return 0; } };
struct Square : Shape { int sides() const override { return 4; } };

static int depth(int n) {
    Noisy here(n % 2 ? "odd" : "even");
    if (n == 0) throw std::out_of_range("bottom");
    return depth(n - 1) + 1;
}

static int choose(int n) {
    try {
        Noisy guard("choose");
        switch (n) {
        case 0: throw 7;
        case 1: throw std::runtime_error("text");
        case 2: throw std::string("string");
        case 3: throw Square();
        case 4: throw 2.5;
        case 5: { std::vector<int> few(3); return few.at(n); }
        default: return n;
        }
    } catch (int value) {
        printf("int %d; ", value);
        return 1;
    } catch (const std::runtime_error &error) {
        printf("runtime_error %s; ", error.what());
        return 2;
    } catch (const std::exception &error) {
        printf("exception; ");
        return 3;
    } catch (const Shape &shape) {
        printf("shape of %d sides; ", shape.sides());
        return 4;
    }
}

static void translate() {
    try {
        try {
            depth(3);
        } catch (const std::out_of_range &error) {
            Noisy handler("handler");
            printf("caught %s; ", error.what());
            throw std::logic_error(std::string("from ") + error.what());
        }
    } catch (...) {
        printf("passed on; ");
        throw;
    }
}

static void keep(std::exception_ptr &kept) {
    try {
        throw std::length_error("kept");
    } catch (...) {
        kept = std::current_exception();
    }
}

static unsigned many(unsigned count) {
    unsigned sum = 0;
    for (unsigned n = 0; n < count; n++) {
        try {
            if (n % 3 == 0) throw n;
            try {
                if (n % 3 == 1) throw static_cast<double>(n);
                sum += 1;
            } catch (unsigned) {
                sum += 1000000;
            }
        } catch (unsigned value) {
            sum += value;
        } catch (double value) {
            sum += static_cast<unsigned>(value) * 2;
        }
    }
    return sum;
}

int main() {
    for (int n = 0; n < 7; n++) {
        try {
            printf("= %d\n", choose(n));
        } catch (const std::string &text) {
            printf("outside: %s\n", text.c_str());
        } catch (double value) {
            printf("outside: %.1f\n", value);
        }
    }
    try {
        translate();
    } catch (const std::logic_error &error) {
        printf("%s\n", error.what());
    }
    std::exception_ptr kept;
    keep(kept);
    try {
        std::rethrow_exception(kept);
    } catch (const std::length_error &error) {
        printf("%s, uncaught %d\n", error.what(), std::uncaught_exceptions());
    }
    printf("many %u\n", many(1000));
    return 0;
}
