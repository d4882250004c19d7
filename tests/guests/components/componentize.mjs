// Makes a core module a component, in place: node componentize.mjs MODULE WIT WORLD ENCODING
import { readFile, writeFile } from "node:fs/promises";
import { componentEmbed, componentNew } from "@bytecodealliance/jco";

const [file, wit, world, stringEncoding] = process.argv.slice(2);
const core = await componentEmbed({
  binary: await readFile(file), witSource: await readFile(wit, "utf8"), world, stringEncoding,
});
await writeFile(file, await componentNew(core, []));
