// Counts words, in JavaScript: QuickJS runs it inside of the component.
// build: npx componentize-qjs --sync --stub-wasi --opt-size --wit words.wit --js words.js --output words.wasm
import notes from "demo:words/notes";

const wordsOf = (text) => text.split(/\s+/u).filter((word) => word);
const chosen = {
  all: () => true,
  "longer-than": (word, length) => [...word].length > length,
  "starting-with": (word, start) => word.startsWith(start),
};

class Counter {
  #total = 0n;

  add(text) {
    this.#total += BigInt(wordsOf(text).length);
  }

  total() {
    return Number(this.#total);
  }
}

export const counting = {
  Counter,

  count(text, choice, order) {
    const found = new Map();
    for (const word of wordsOf(text)) {
      if (chosen[choice.tag](word, choice.val)) found.set(word, (found.get(word) ?? 0) + 1);
    }
    notes.log(`${found.size} words`);
    if (!found.size) throw `no words in “${text}”`;
    const tallies = [...found].map(([word, times]) => ({ word, times }));
    if (order === "alphabetical") tallies.sort((a, b) => (a.word < b.word ? -1 : 1));
    if (order === "frequent") tallies.sort((a, b) => b.times - a.times);
    return tallies;
  },

  evaluate(source) {
    try {
      return JSON.stringify((0, eval)(source));
    } catch (error) {
      throw `${error}`;
    }
  },
};
