// Runs a Python file in Pyodide: node run.mjs PYODIDE WHEEL FOLDERS FILE [ARGUMENT ...]
// PYODIDE is the npm package's folder, FOLDERS says as JSON which of ours Python sees where: {"/root": "."}.
// The file defines a coroutine function main. What it prints is printed; the exit code is 1 if it raises.
import { readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [pyodide, wheel, folders, file, ...args] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(join(resolve(pyodide), "pyodide.mjs")));
const python = await loadPyodide();
python.setStdout({ write: (bytes) => (process.stdout.write(bytes), bytes.length) });
for (const [place, folder] of Object.entries(JSON.parse(folders))) {
  python.FS.mkdirTree(place);
  python.FS.mount(python.FS.filesystems.NODEFS, { root: resolve(folder) }, place);
}
const packed = `/tmp/${basename(wheel)}`;
python.FS.writeFile(packed, new Uint8Array(readFileSync(wheel)));
python.globals.set("packed", packed);
python.globals.set("arguments", python.toPy([file, ...args]));
python.runPython(`
import sys, sysconfig, zipfile
zipfile.ZipFile(packed).extractall(sysconfig.get_path("purelib"))
sys.argv = list(arguments)
`);
try {
  python.runPython(readFileSync(file, "utf-8"), { filename: file });
  await python.globals.get("main")();
} catch (error) {
  console.error(String(error.message ?? error).slice(-4000));
  process.exit(1);
}
