/* Lua: numbers, tables, strings, closures, coroutines, and errors, which are longjmp. */
#include <stdio.h>
#include "lauxlib.h"
#include "lualib.h"

static const char *script =
    "local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end\n"
    "print(fib(16))\n"
    "local primes, sieve = 0, {}\n"
    "for i = 2, 4000 do\n"
    "  if not sieve[i] then primes = primes + 1 for j = i * i, 4000, i do sieve[j] = true end end\n"
    "end\n"
    "print(primes)\n"
    "local words = {}\n"
    "for i = 1, 400 do words[#words + 1] = string.format('%03d-%s', i * 7919 % 1000, ('x'):rep(i % 5)) end\n"
    "table.sort(words)\n"
    "local text = table.concat(words, ' ')\n"
    "print(#text, text:gsub('x+', 'y'):sub(1, 60), select(2, text:gsub('%d+%-', '')))\n"
    "local sum = 0.0\n"
    "for i = 1, 5000 do sum = sum + math.sin(i) / i end\n"
    "print(string.format('%.12f', sum))\n"
    "local caught = 0\n"
    "for i = 1, 300 do\n"
    "  local ok, what = pcall(function() if i % 3 == 0 then error({i}) end return i end)\n"
    "  if not ok then caught = caught + what[1] end\n"
    "end\n"
    "local steps = coroutine.wrap(function() for i = 1, 200 do coroutine.yield(i * i) end end)\n"
    "for i = 1, 200 do caught = caught + steps() end\n"
    "print(caught, pcall(string.rep))\n";

int main(void) {
    lua_State *L = luaL_newstate();
    luaL_requiref(L, "_G", luaopen_base, 1);
    luaL_requiref(L, "table", luaopen_table, 1);
    luaL_requiref(L, "string", luaopen_string, 1);
    luaL_requiref(L, "coroutine", luaopen_coroutine, 1);
    luaL_requiref(L, "math", luaopen_math, 1);
    if (luaL_dostring(L, script)) {
        printf("error: %s\n", lua_tostring(L, -1));
        return 1;
    }
    lua_close(L);
    return 0;
}
