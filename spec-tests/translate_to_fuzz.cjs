// Runs wasm-opt of npm's binaryen many times in one process: node translate_to_fuzz.cjs TOOL FOLDER FIRST LAST OPTION...
// makes N.wasm of the bytes in N.bin, from FIRST up to before LAST. A run costs a twentieth of a second; a process of its
// own costs one. What is not here: what the bytes and options are (foreign.py).
const fs = require("fs");
const vm = require("vm");

const [, , tool, folder, first, last, ...options] = process.argv;
const instantiate = WebAssembly.instantiate;
let compiled = null;
WebAssembly.instantiate = async (bytes, imports) => {
  compiled ??= await WebAssembly.compile(bytes);
  return { module: compiled, instance: await instantiate(compiled, imports) };
};

const start = /createWasm\(\)\.then\(\(\)=>run\(\)\);\s*$/;
const source = fs.readFileSync(tool, "utf8").replace(/^#!.*/, "");
if (!start.test(source)) throw new Error(`${tool} begins in another way than that of binaryen 132`);
const names = ["require", "module", "__filename", "__dirname", "process", "Module"];
const run = vm.compileFunction(source.replace(start, "return createWasm().then(()=>run());"), names);

(async () => {
  for (let n = +first; n < +last; n++) {
    process.argv = ["node", tool, `${folder}/${n}.bin`, "--translate-to-fuzz", ...options, "-o", `${folder}/${n}.wasm`];
    try {
      await run(require, { exports: {} }, tool, ".", process, { print() {}, printErr() {} });
    } catch (error) {
      console.error(n, String(error));
    }
  }
  process.exitCode = 0;
})();
