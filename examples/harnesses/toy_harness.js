// A harness in JavaScript (Node), complete: k-anonymity, distinct l-diversity and t-closeness with the equal distance.
// Run it with:  tcloseness conform run -- node examples/harnesses/toy_harness.js
"use strict";
const readline = require("node:readline");

// Counts can exceed 2^53, so they are BigInt; shares are fractions [numerator, denominator].
const abs = (x) => (x < 0n ? -x : x);
const gcd = (a, b) => (b === 0n ? abs(a) : gcd(b, a % b));
const less = ([a, b], [c, d]) => a * d < c * b;
const fractionText = ([a, b]) => {
  const g = gcd(a, b) || 1n;
  return b / g === 1n ? `${a / g}` : `${a / g}/${b / g}`;
};
function readFraction(text) {
  if (text.includes("/")) return text.split("/").map(BigInt);
  const [whole, decimals = ""] = text.split(".");
  return [BigInt(whole + decimals), 10n ** BigInt(decimals.length)];
}

// One key for equal cells: numbers by value (1 and 1.0 are one), texts as they stand, a missing value by itself.
function cellKey(text, type) {
  if (text === null) return "missing";
  return type === "text" ? `text ${text}` : `number ${fractionText(readFraction(text))}`;
}

function counted(table, sensitive) {
  const place = (name) => table.columns.indexOf(name);
  const key = (row, name) => cellKey(row[place(name)], table.types[place(name)]);
  const classes = new Map();
  const reference = new Map();
  const add = (counts, value, n) => counts.set(value, (counts.get(value) ?? 0n) + n);
  table.rows.forEach((row, i) => {
    const n = BigInt(table.times ? table.times[i] : 1);
    const cls = JSON.stringify(table.quasi_identifiers.map((name) => key(row, name)));
    if (!classes.has(cls)) classes.set(cls, new Map());
    add(classes.get(cls), key(row, sensitive), n);
    add(reference, key(row, sensitive), n);
  });
  return { classes: [...classes.values()], reference };
}

const size = (counts) => [...counts.values()].reduce((a, b) => a + b, 0n);

const algorithms = {
  "k-anonymity": { threshold: "k", larger: true, measure: (counts) => [size(counts), 1n] },
  "distinct-l": { threshold: "l", larger: true, measure: (counts) => [BigInt(counts.size), 1n] },
  "t-equal": {
    threshold: "t",
    larger: false,
    measure(counts, reference) {
      const n = size(counts);
      const total = size(reference);
      let sum = 0n;
      for (const [value, all] of reference) sum += abs((counts.get(value) ?? 0n) * total - all * n);
      return [sum, 2n * n * total];
    },
  },
};

function answer({ algorithm, parameters, input }) {
  const { threshold, larger, measure } = algorithms[algorithm];
  let worst = null;
  for (const name of input.sensitive) {
    const { classes, reference } = counted(input, name);
    for (const counts of classes) {
      const value = measure(counts, reference);
      if (worst === null || (larger ? less(value, worst) : less(worst, value))) worst = value;
    }
  }
  const limit = readFraction(parameters[threshold]);
  return { value: fractionText(worst), satisfied: larger ? !less(worst, limit) : !less(limit, worst) };
}

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  let reply;
  if (message.cmd === "stop") process.exit(0);
  if (message.cmd === "start") {
    const implementation = { name: "toy", version: "1", language: "JavaScript" };
    reply = { version: 1, implementation, algorithms: Object.keys(algorithms) };
  } else {
    try {
      reply = { seq: message.seq, result: answer(message) };
    } catch (error) {
      reply = { seq: message.seq, error: { message: String(error) } };
    }
  }
  process.stdout.write(JSON.stringify(reply) + "\n");
});
