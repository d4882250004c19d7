"use strict";
// Plays a trace: the state after any step is made of the steps before it, each of which says what it changed.
// Everything from the trace becomes text, never markup. The data are described in steps.py.

const trace = JSON.parse(document.getElementById("trace").textContent);
const steps = trace.steps;
const byId = (id) => document.getElementById(id);
const slider = byId("slider");
// Without instructions there is no code, stack and memory to be seen.
const bare = !steps.some((step) => step.k === undefined);

// Frames of the guest, outermost first, after `position` steps; `undo[i]` takes step i back.
const frames = [];
const undo = [];
const memory = new Map();
const globals = new Map();
let position = 0;
let lastAccess = -1;

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

function word(index) {
  return trace.strings[index];
}

// Memory: bytes by memory and address. Before the first step they are what they were before their first change.

function eachByte(write, hex, visit) {
  for (let i = 0; i * 2 < hex.length; i++) visit(write[0], write[1] + i, hex.slice(2 * i, 2 * i + 2));
}

function poke(number, address, byte) {
  if (!memory.has(number)) memory.set(number, new Map());
  memory.get(number).set(address, byte);
}

function peek(read) {
  let known = "";
  eachByte(read, read[2], (number, address) => {
    known += memory.get(number).get(address);
  });
  return known;
}

for (let i = steps.length - 1; i >= 0; i--) {
  if (steps[i].r) eachByte(steps[i].r, steps[i].r[2], poke);
  if (steps[i].m) eachByte(steps[i].m, steps[i].m[3], poke);
}

// Steps

function forward() {
  const step = steps[position];
  const change = {};
  if (step.k === undefined) {
    if (step.d < frames.length) change.cut = frames.splice(step.d);
    change.depth = frames.length;
    while (frames.length < step.d) frames.push({ f: -1, l: -1, stack: [], locals: [] });
    const frame = frames[step.d - 1];
    change.before = { f: frame.f, l: frame.l, locals: frame.locals };
    if (step.f !== undefined) frame.f = step.f;
    frame.l = step.l;
    if (step.a) {
      frame.locals = step.a.slice();
    } else if (step.v) {
      frame.locals = frame.locals.slice();
      for (const [index, value] of step.v) frame.locals[index] = value;
    }
    change.popped = step.p ? frame.stack.splice(frame.stack.length - step.p) : [];
    if (step.s) frame.stack.push(...step.s);
    if (step.g) {
      change.global = globals.get(step.g[0]);
      globals.set(step.g[0], step.g[1]);
    }
  }
  if (step.m) eachByte(step.m, step.m[4], poke);
  if (step.r) {
    change.known = peek(step.r);
    eachByte(step.r, step.r[2], poke); // somebody whom the trace doesn't see may have written
  }
  if (step.m || step.r) {
    change.lastAccess = lastAccess;
    lastAccess = position;
  }
  undo[position] = change;
  position += 1;
}

function backward() {
  position -= 1;
  const step = steps[position];
  const change = undo[position];
  if (step.m) eachByte(step.m, step.m[3], poke);
  if (step.r) eachByte(step.r, change.known, poke);
  if (step.m || step.r) lastAccess = change.lastAccess;
  if (step.k !== undefined) return;
  const frame = frames[step.d - 1];
  if (step.s) frame.stack.length -= step.s.length;
  frame.stack.push(...change.popped);
  Object.assign(frame, change.before);
  frames.length = change.depth;
  if (change.cut) frames.push(...change.cut);
  if (step.g && change.global === undefined) globals.delete(step.g[0]);
  else if (step.g) globals.set(step.g[0], change.global);
}

function go(wanted) {
  const target = Math.max(Math.min(1, steps.length), Math.min(steps.length, wanted));
  while (position < target) forward();
  while (position > target) backward();
  show();
}

// The next or last position, in direction `way`, where the guest is at most `allowed` calls deep; one step further
// where no instructions tell how deep it is.
function seek(way, allowed) {
  let index = position - 1 + way;
  if (bare) return go(index + 1);
  while (index > 0 && index < steps.length && !(steps[index].d <= allowed)) index += way;
  go(index + 1);
}

function depth() {
  for (let i = position - 1; i >= 0; i--) if (steps[i].d !== undefined) return steps[i].d;
  return 1;
}

// What is shown

function other(value) {
  if (!/^[0-9]{2,20}$/.test(value)) return "";
  const number = BigInt(value);
  const bits = number >> 32n ? 64n : 32n;
  const negative = number >> (bits - 1n) ? ` ${number - (1n << bits)}` : "";
  return `0x${number.toString(16)}${negative}`;
}

const listings = new Map();

function listing(index) {
  if (!listings.has(index)) {
    const whole = element("div");
    for (const [offset, text] of trace.functions[index].code) {
      const line = element("div");
      line.append(element("span", offset < 0 ? "" : `0x${offset.toString(16).padStart(4, "0")}`, "offset"), word(text));
      whole.append(line);
    }
    listings.set(index, whole);
  }
  return listings.get(index);
}

let marked = null;

// Scroll a box so that a line in it is seen with four lines around it, and nothing else on the page moves.
function keepInView(box, line) {
  const top = line.offsetTop - box.offsetTop - 4 * line.offsetHeight;
  const bottom = top + 9 * line.offsetHeight;
  if (top < box.scrollTop) box.scrollTop = top;
  else if (bottom > box.scrollTop + box.clientHeight) box.scrollTop = bottom - box.clientHeight;
}

function showCode(frame) {
  if (marked) {
    marked.classList.remove("now");
    marked.removeAttribute("aria-current");
    marked = null;
  }
  if (!frame || frame.f < 0) {
    byId("function").textContent = "Code";
    byId("listing").replaceChildren(element("p", "no instructions here", "faint"));
    return;
  }
  byId("function").textContent = `Code of ${word(trace.functions[frame.f].name)}`;
  const whole = listing(frame.f);
  if (byId("listing").firstChild !== whole) byId("listing").replaceChildren(whole);
  marked = whole.children[frame.l] || null;
  if (marked) {
    marked.classList.add("now");
    marked.setAttribute("aria-current", "step");
    keepInView(byId("listing"), marked);
  }
}

function showStack(frame, step) {
  const pushed = step && step.k === undefined && step.s ? step.s.length : 0;
  const items = frame ? frame.stack.map((value, index) => {
    const item = element("li", word(value), index >= frame.stack.length - pushed ? "new" : "");
    const more = other(word(value));
    if (more) item.append(element("span", `  ${more}`, "faint"));
    return item;
  }) : [];
  byId("stack").replaceChildren(...(items.length ? items.reverse() : [element("li", "empty", "faint")]));
}

function variable(name, value, isNew) {
  const row = element("tr", undefined, isNew ? "new" : "");
  row.append(element("th", name), element("td", word(value)), element("td", other(word(value)), "faint"));
  return row;
}

function showLocals(frame, step) {
  const changed = new Set(step && step.v ? step.v.map(([index]) => index) : []);
  const names = frame && frame.f >= 0 ? trace.functions[frame.f].locals : [];
  const rows = names.map((name, index) => variable(word(name), frame.locals[index], changed.has(index)));
  const set = [...globals].sort(([a], [b]) => a - b);
  rows.push(...set.map(([index, value]) => variable(`global ${index}`, value, step.g && step.g[0] === index)));
  byId("locals").tBodies[0].replaceChildren(...rows);
}

const MOST_CALLS = 20;
const MOST_VALUES = 3;

function showCalls() {
  const inner = frames.slice(-MOST_CALLS).reverse();
  const items = inner.map((frame) => {
    if (frame.f < 0) return element("li", "not seen", "faint");
    const item = element("li", word(trace.functions[frame.f].name));
    const values = frame.locals.slice(0, MOST_VALUES).map((value, index) =>
      `${word(trace.functions[frame.f].locals[index])}=${word(value)}`);
    item.append(element("span", `  ${values.join(", ")}`, "faint"));
    return item;
  });
  if (frames.length > MOST_CALLS) items.push(element("li", `and ${frames.length - MOST_CALLS} more`, "faint"));
  byId("calls").replaceChildren(...items);
}

const ROWS = 12;
const WIDTH = 8;

const memoryRows = new Map();

// Where rows with known bytes begin, in order. Which bytes are known doesn't change.
function rowsOf(number) {
  if (!memoryRows.has(number)) {
    const starts = [...memory.get(number).keys()].map((at) => at - (at % WIDTH));
    memoryRows.set(number, [...new Set(starts)].sort((a, b) => a - b));
  }
  return memoryRows.get(number);
}

// What a step did to memory: how many bytes at which address, and how many of them are known.
function access(step) {
  if (step.r) {
    const [number, address, value] = step.r;
    return { number, address, count: value.length / 2, seen: value.length / 2, what: "read" };
  }
  const [number, address, count, , after] = step.m;
  return { number, address, count, seen: after.length / 2, what: step.k ? "written by the host" : "written" };
}

function showMemory() {
  const rows = [];
  const note = byId("memory-note");
  note.textContent = lastAccess < 0 ? "nothing has been read or written yet" : "";
  if (lastAccess >= 0) {
    const { number, address, count, seen, what } = access(steps[lastAccess]);
    const bytes = memory.get(number);
    const starts = rowsOf(number);
    const here = starts.indexOf(address - (address % WIDTH));
    const from = Math.max(0, Math.min(here - ROWS / 3, starts.length - ROWS));
    const name = lastAccess < position - 1 ? "" : steps[lastAccess].r ? "read" : "new";
    for (const start of starts.slice(from, from + ROWS)) {
      rows.push(memoryRow(bytes, start, (at) => (at >= address && at < address + seen ? name : "")));
    }
    const where = trace.memories > 1 ? ` of memory ${number}` : "";
    const cut = count > seen ? `, of which the first ${seen} are known` : "";
    note.textContent = `last ${what}: ${count} byte${count === 1 ? "" : "s"} at 0x${address.toString(16)}${where}${cut}`;
  }
  byId("memory").tBodies[0].replaceChildren(...rows);
}

function memoryRow(bytes, start, className) {
  const row = element("tr");
  const hex = element("td");
  let text = "";
  for (let at = start; at < start + WIDTH; at++) {
    const byte = bytes.get(at);
    const code = byte === undefined ? 0 : parseInt(byte, 16);
    hex.append(element("span", byte === undefined ? "··" : byte, className(at)), " ");
    text += code >= 32 && code < 127 ? String.fromCharCode(code) : "·";
  }
  row.append(element("th", `0x${start.toString(16).padStart(4, "0")}`, "faint"), hex, element("td", text, "faint"));
  return row;
}

// Everything but instructions, as a list with a way to each.
const told = [];
steps.forEach((step, index) => {
  if (step.k !== undefined) told.push(index);
});
const MOST_EVENTS = 200;
let current = null;
let listed = -1;

// How many of what is told happened before the position.
function toldBefore() {
  let low = 0;
  let high = told.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (told[middle] < position) low = middle + 1;
    else high = middle;
  }
  return low;
}

function showEvents() {
  const until = toldBefore();
  const list = byId("events");
  if (listed !== until) {
    listed = until;
    const items = told.slice(Math.max(0, until - MOST_EVENTS), until).map((index) => {
      const button = element("button", word(steps[index].x), steps[index].k === "hint" || steps[index].e ? "wrong" : "");
      button.addEventListener("click", () => go(index + 1));
      const item = element("li");
      item.append(button);
      return item;
    });
    list.replaceChildren(...(items.length ? items : [element("li", "none yet", "faint")]));
    list.scrollTop = list.scrollHeight;
    showTensors(until);
  }
  if (current) current.classList.remove("now");
  current = until && told[until - 1] === position - 1 ? list.lastElementChild : null;
  if (current) current.classList.add("now");
}

// The tensors that were pictures when there were some last.
function showTensors(until) {
  let index = until - 1;
  while (index >= 0 && !steps[told[index]].t) index -= 1;
  const figures = index < 0 ? [] : steps[told[index]].t.map((tensor) => {
    const figure = element("figure");
    const picture = element("img");
    picture.src = tensor.src;
    picture.width = tensor.width;
    picture.alt = word(tensor.x);
    figure.append(picture, element("figcaption", word(tensor.x)));
    return figure;
  });
  byId("tensors").replaceChildren(...figures);
}

function status(step) {
  if (!step) return "The trace is empty.";
  const text = step.x === undefined ? "" : word(step.x);
  if (step.k !== undefined) return text;
  const [, written] = trace.functions[frames[step.d - 1].f].code[step.l] || [0, undefined];
  const done = written === undefined ? "" : word(written).trim();
  return [done, text, step.e === undefined ? "" : word(step.e)].filter((part) => part).join("    ");
}

function show() {
  const step = steps[position - 1];
  const frame = frames[depth() - 1];
  slider.value = position;
  const text = status(step);
  slider.setAttribute("aria-valuetext", `step ${position} of ${steps.length}: ${text}`);
  byId("position").textContent = `${position} / ${steps.length}`;
  byId("status").textContent = text;
  byId("status").className = step && (step.e !== undefined || step.k === "hint") ? "wrong" : "";
  showCode(frame);
  showStack(frame, step);
  showLocals(frame, step);
  showCalls();
  showMemory();
  showEvents();
}

// What a person does

const actions = {
  first: () => go(1),
  back: () => go(position - 1),
  forward: () => go(position + 1),
  over: () => seek(1, depth()),
  out: () => seek(1, depth() - 1),
  last: () => go(steps.length),
};
for (const [name, action] of Object.entries(actions)) byId(name).addEventListener("click", action);

const keys = {
  ArrowRight: actions.forward,
  ArrowLeft: actions.back,
  ArrowDown: actions.over,
  ArrowUp: () => seek(-1, depth()),
  PageDown: () => go(position + 100),
  PageUp: () => go(position - 100),
  Home: actions.first,
  End: actions.last,
  o: actions.out,
};
document.addEventListener("keydown", (event) => {
  const action = keys[event.key];
  if (!action || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  action();
});

slider.min = Math.min(1, steps.length);
slider.max = steps.length;
slider.addEventListener("input", () => go(Number(slider.value)));
document.body.classList.toggle("bare", bare);
go(bare ? steps.length : 1);
if (window === window.parent) slider.focus(); // in a notebook the focus stays where it is
