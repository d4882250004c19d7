// Makes a component of others: node compose.mjs TEXT OUTPUT
// In the text, `(component $name "file.wasm")` stands for the component in that file.
import { readFile, writeFile } from "node:fs/promises";
import { parse, print } from "@bytecodealliance/jco";

const [file, output] = process.argv.slice(2);
let text = await readFile(file, "utf8");
for (const [all, name, inner] of [...text.matchAll(/\(component (\$\w+) "(.*?)"\)/g)]) {
  const printed = await print(await readFile(inner));
  text = text.replace(all, () => printed.replace(/^\(component( \$\S+)?/, `(component ${name}`));
}
await writeFile(output, await parse(text));
