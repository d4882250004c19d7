// Says what a program gets of WASI 0.2, in JavaScript: QuickJS or SpiderMonkey runs it inside of the component.
// It imports interfaces of four versions; the engines bring more, SpiderMonkey http, which is not used.
// build: npx componentize-qjs --sync --wit shout.wit --js shout.js --output shout_quickjs.wasm
// build: node spidermonkey.mjs shout.js shout.wit shout shout_spidermonkey.wasm
import { getArguments, getEnvironment } from "wasi:cli/environment@0.2.0";
import { exitWithCode } from "wasi:cli/exit@0.2.12";
import { getStdin } from "wasi:cli/stdin@0.2.3";
import { getStdout } from "wasi:cli/stdout@0.2.3";
import { getDirectories } from "wasi:filesystem/preopens@0.2.6";

// How each takes a u64.
const SIZE = typeof TextEncoder === "undefined" ? 4096 : 4096n;
const encode = (text) => Uint8Array.from(unescape(encodeURIComponent(text)), (byte) => byte.charCodeAt(0));
const decode = (bytes) => decodeURIComponent(escape(String.fromCharCode(...bytes)));

function everything(stream) {
  const bytes = [];
  for (;;) {
    try {
      bytes.push(...stream.blockingRead(SIZE));
    } catch {
      return decode(bytes);
    }
  }
}

function namesIn(directory) {
  const names = [];
  const entries = directory.readDirectory();
  for (let entry; (entry = entries.readDirectoryEntry()); ) names.push([entry.name, entry.type]);
  return names.sort();
}

function refusal(directory, name) {
  try {
    directory.openAt({}, name, {}, { read: true });
    return "opened";
  } catch (error) {
    return error.payload;
  }
}

export const run = {
  run() {
    const out = getStdout();
    const say = (...words) => out.blockingWriteAndFlush(encode(words.map((word) => JSON.stringify(word)).join(" ") + "\n"));
    const given = getArguments().slice(1);
    say("arguments", given, "variables", getEnvironment());
    for (const [directory, name] of getDirectories()) {
      say(name, namesIn(directory), refusal(directory, "missing.txt"), refusal(directory, "../outside"));
    }
    say(everything(getStdin()).toUpperCase());
    if (given.includes("exit")) exitWithCode(33);
    if (given.includes("fail")) throw undefined;
  },
};
