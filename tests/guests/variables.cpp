/* Variables of C++ for a debugger: a reference, a class that extends another, a member function.
 *
 * build: python -m ziglang c++ -target wasm32-wasi -O0 -g -nostdlib -fno-builtin -fno-exceptions -fno-sanitize=undefined -fdebug-compilation-dir=. -o variables_cpp.wasm variables.cpp
 */
namespace shop {
struct Item {
    int id = 4;
};
class Box : public Item {
public:
    bool fits(int size) const {
        int rest = size - this->size;
        return rest > 0;
    }
    int size = 12;
    const char *label = "small";
};
}  // namespace shop

static int use(const shop::Box &box, int &count) {
    count += box.fits(20);
    return box.id + count;
}

static int total = 0;

extern "C" void _start() {
    shop::Box box;
    int count = 2;
    total = use(box, count);
}
