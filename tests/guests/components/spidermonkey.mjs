// Makes a component of a program in JavaScript and SpiderMonkey: node spidermonkey.mjs PROGRAM WIT WORLD OUTPUT
import { readFile, writeFile } from "node:fs/promises";
import { componentize } from "@bytecodealliance/componentize-js";

const [program, wit, world, output] = process.argv.slice(2);
const { component } = await componentize(await readFile(program, "utf8"), { witPath: wit, worldName: world });
await writeFile(output, component);
