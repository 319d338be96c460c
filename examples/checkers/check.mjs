// A checker of certificates about lattices, written from docs/certificates.md alone.
//   node check.mjs CERTIFICATE TABLE HIERARCHIES_FOLDER
// Exit codes: 0 proved, 1 refuted, 2 unreadable or about another table. See README.md beside this file.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, statSync } from "node:fs";

class Unreadable extends Error {}
class Refuted extends Error {}
const unreadable = (text) => { throw new Unreadable(text); };
const need = (true_, text) => { if (!true_) throw new Unreadable(text); };
const refuted = (text) => { throw new Refuted(text); };
const must = (true_, text) => { if (!true_) throw new Refuted(text); };
const sha256 = (data) => createHash("sha256").update(data).digest("hex");

// ---------------------------------------------------------------- JSON, with whole numbers of any size
const MOST_BYTES = 32 * 2 ** 20;

function parse(text) {
  let at = 0;
  const token = /[ \t\n\r]*("(?:[^"\\\u0000-\u001f]|\\(?:["\\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9][0-9]*)|[\[\]{}:,]|true|false|null)/y;
  const next = () => {
    token.lastIndex = at;
    const found = token.exec(text);
    need(found, `not JSON of whole numbers and texts at character ${at}`);
    at = token.lastIndex;
    return found[1];
  };
  const value = (first, depth) => {
    need(depth < 64, "JSON is nested too deeply");
    if (first === "{") {
      const object = new Map();
      for (let word = next(); word !== "}"; ) {
        need(word[0] === '"', "a key of JSON is a text");
        const key = JSON.parse(word);
        need(!object.has(key), `key ${word} is there twice`);
        need(next() === ":", "a key of JSON has a colon behind it");
        object.set(key, value(next(), depth + 1));
        if ((word = next()) === ",") need((word = next()) !== "}", "a comma of JSON has something behind it");
        else need(word === "}", "an object of JSON ends in }");
      }
      return object;
    }
    if (first === "[") {
      const list = [];
      for (let word = next(); word !== "]"; ) {
        list.push(value(word, depth + 1));
        if ((word = next()) === ",") need((word = next()) !== "]", "a comma of JSON has something behind it");
        else need(word === "]", "a list of JSON ends in ]");
      }
      return list;
    }
    if (first[0] === '"') return need(JSON.parse(first).isWellFormed(), "a text holds half of a character") ?? JSON.parse(first);
    if (first === "true" || first === "false") return first === "true";
    if (first === "null") return null;
    need(/^-?[0-9]/.test(first), `unexpected ${first} in JSON`);
    return BigInt(first);
  };
  const whole = value(next(), 0);
  need(/^[ \t\n\r]*$/.test(text.slice(at)), "something stands behind the JSON");
  return whole;
}

const byCodePoint = (a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b));       // UTF-8 is ordered as its characters
const quoted = (text) => JSON.stringify(text)
  .replace(/[\u007f-\uffff]/g, (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));

function canonical(value) {
  if (typeof value === "string") return quoted(value);
  if (Array.isArray(value)) return "[" + value.map(canonical).join(",") + "]";
  if (value instanceof Map)
    return "{" + [...value.keys()].sort(byCodePoint).map((k) => quoted(k) + ":" + canonical(value.get(k))).join(",") + "}";
  return String(value);
}

// ---------------------------------------------------------------- fields
function fields(object, name, ...keys) {
  need(object instanceof Map, `${name} is no object`);
  need(object.size === keys.length && keys.every((k) => object.has(k)), `${name} has other keys than ${keys}`);
  return keys.map((k) => object.get(k));
}
const text = (value, name) => (typeof value === "string" ? value : unreadable(`${name} is no text`));
const list = (value, name) => (Array.isArray(value) ? value : unreadable(`${name} is no list`));
const some = (value, name) => (need(list(value, name).length, `${name} is empty`), value);
const texts = (value, name) => list(value, name).map((item) => text(item, `an item of ${name}`));
function whole(value, name, least = 0n) {
  need(typeof value === "bigint" && value >= least, `${name} is no whole number of at least ${least}`);
  return value;
}
const small = (value, name, least = 0n) => {
  need(whole(value, name, least) <= 2n ** 53n, `${name} is too large`);
  return Number(value);
};
const different = (items, name, fails = need) => (fails(new Set(items).size === items.length, `${name} names something twice`), items);

const gcd = (a, b) => { while (b) [a, b] = [b, a % b]; return a < 0n ? -a : a; };
const over = (num, den = 1n) => { const g = gcd(num, den) || 1n; return { num: num / g, den: den / g }; };
const show = (a) => (a.den === 1n ? `${a.num}` : `${a.num}/${a.den}`);
function fraction(value, name) {
  const found = /^(-?(?:0|[1-9][0-9]*))(?:\/([1-9][0-9]*))?$/.exec(text(value, name));
  need(found && value.length < 10000, `${name} is no fraction`);
  const made = over(BigInt(found[1]), BigInt(found[2] ?? 1));
  need(show(made) === value, `${name} is not in lowest terms`);
  return made;
}

// ---------------------------------------------------------------- text files
const BLANK = "\\t-\\r\\u001c-\\u0020\\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const strip = (cell) => cell.replace(new RegExp(`^[${BLANK}]+`, "u"), "").replace(new RegExp(`[${BLANK}]+$`, "u"), "");

function decode(bytes, encoding) {
  const packed = [[0x1f, 0x8b], [0x42, 0x5a, 0x68], [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]];
  need(!packed.some((magic) => magic.every((b, i) => bytes[i] === b)), "packed files are not read here: unpack it");
  const name = encoding.toLowerCase().replace(/_/g, "-");
  if (["latin-1", "latin1", "iso-8859-1", "iso8859-1"].includes(name)) return bytes.toString("latin1");
  const label = { "utf-8": "utf-8", "utf8": "utf-8", "utf-8-sig": "utf-8", "ascii": "utf-8", "us-ascii": "utf-8" }[name];
  need(label, `encoding ${encoding} is not read here`);
  need(!name.endsWith("ascii") || bytes.every((b) => b < 128), "the file is not in ASCII");
  try {
    return new TextDecoder(label, { fatal: true, ignoreBOM: true }).decode(bytes).replace(/^\ufeff/, "");
  } catch { return unreadable(`the file is not in ${encoding}`); }
}

function rowsOf(content, separator) {
  need([...separator].length === 1 && !/["\r\n]/.test(separator), "a separator is one character");
  need(!content.includes("\0"), "the file holds the character NUL");
  const rows = [], blank = new RegExp(`[${BLANK}]`, "u");
  let row = [], at = 0, lineStart = 0;
  const isBlank = (c) => c !== separator && c !== "\n" && c !== "\r" && blank.test(c);
  while (at < content.length) {
    while (at < content.length && isBlank(content[at])) at++;
    let cell;
    if (content[at] === '"') {
      for (cell = "", at++; ; at += 2) {
        const end = content.indexOf('"', at);
        need(end >= 0, "a quote has no end");
        cell += content.slice(at, end);
        at = end;
        if (content[at + 1] !== '"') break;
        cell += '"';
      }
      for (at++; at < content.length && isBlank(content[at]); ) at++;
      need(at >= content.length || content.startsWith(separator, at) || /[\r\n]/.test(content[at]), "text behind a quoted cell");
    } else {
      const from = at;
      while (at < content.length && !content.startsWith(separator, at) && content[at] !== "\n" && content[at] !== "\r") at++;
      cell = strip(content.slice(from, at));
    }
    row.push(cell);
    if (at < content.length && content.startsWith(separator, at)) {
      at += separator.length;
      if (at < content.length) continue;
      row.push("");
    }
    if (row.length > 1 || strip(content.slice(lineStart, at)) !== "") rows.push(row);      // a line of blanks alone is no row
    row = [];
    at += content[at] === "\r" && content[at + 1] === "\n" ? 2 : 1;
    lineStart = at;
  }
  return rows;
}

function weightOf(cell) {                        // 2, 2.0, 20e-1 and 4/2 are whole
  const found = /^([+-]?)(?:([0-9]+)\/([0-9]+)|(?=\.?[0-9])([0-9]*)(?:\.([0-9]*))?(?:e([+-]?[0-9]{1,4}))?)$/i.exec(cell);
  need(found, `the weight ${cell} is no number`);
  const [, sign, num, den, before, behind = "", power = "0"] = found, places = behind.length - Number(power);
  const [above, below] = num ? [BigInt(num), BigInt(den)]
    : [BigInt(before + behind) * 10n ** BigInt(Math.max(-places, 0)), 10n ** BigInt(Math.max(places, 0))];
  need(below && above % below === 0n && (sign !== "-" || above === 0n), `the weight ${cell} is no whole number`);
  return small(above / below, "a weight");
}

// ---------------------------------------------------------------- the table, as counts of combinations
function readTable(bytes, table, reading) {
  const columns = [...table.attributes, table.sensitive];
  const title = canonical(["tcloseness-counts-1", ...columns]);
  const counts = new Map();
  if (bytes.subarray(0, 22).toString("latin1").startsWith('["tcloseness-counts-1"')) {
    const lines = bytes.toString("utf8").split("\n");
    need(lines.pop() === "" && lines[0] === title, "the counts are those of other columns");
    for (const line of lines.slice(1)) {
      const values = parse(line), count = values.pop();
      need(values.length === columns.length, "a line of the counts has another length");
      counts.set(canonical(texts(values, "a line of the counts")), small(count, "a count", 1n));
    }
  } else {
    must.file = sha256(bytes);
    need(table.file === null || table.file === must.file, "this is another file (file_sha256)");
    const [header, ...rows] = rowsOf(decode(bytes, reading.encoding), reading.separator);
    need(header, "the table is empty");
    const place = (column) => {
      need(header.filter((c) => c === column).length === 1, `column ${column} is not there, or twice`);
      return header.indexOf(column);
    };
    const places = columns.map(place), weight = reading.weight === null ? null : place(reading.weight);
    for (const row of rows) {
      need(row.length === header.length, "a row has more or fewer cells than the first");
      const values = places.map((p) => (reading.missingTexts.has(strip(row[p])) ? "missing:" : `text:${row[p]}`));
      if (values.includes("missing:")) {
        need(reading.missing !== "error", "a value is missing");
        if (reading.missing === "drop") continue;
      }
      let count = 1;
      if (weight !== null) {
        count = weightOf(strip(row[weight]));
      }
      const key = canonical(values);
      if (count) counts.set(key, (counts.get(key) ?? 0) + count);
    }
  }
  const lines = [...counts].map(([key, count]) => `${key.slice(0, -1)},${count}]\n`).sort();
  need(sha256(title + "\n" + lines.join("")) === table.digest, "this is another table (digest)");
  return [...counts].map(([key, count]) => [JSON.parse(key), count]);
}

// ---------------------------------------------------------------- hierarchies, as labels of values by level
function readHierarchy(folder, column, digest, reading) {
  const name = readdirSync(folder).find((file) => [".csv", ".tsv", ".tab"].some((end) => file === column + end));
  need(name, `the folder has no file of ${column}`);
  const separator = reading.hierarchySeparator ?? (name.endsWith(".csv") ? "," : "\t");
  const cells = rowsOf(decode(readFileSync(`${folder}/${name}`), reading.encoding), separator);
  for (const row of cells) while (row.length && row.at(-1) === "") row.pop();
  const rows = cells.filter((row) => row.length), length = Math.max(...rows.map((row) => row.length));
  need(rows.length, `${name} is empty`);
  for (const row of rows) {
    need(!row.includes(""), `${name} has an empty cell`);
    const lacks = length - row.length;
    need(!lacks || reading.ragged !== "error", `a row of ${name} is short`);
    if (reading.ragged === "repeat-leaf") row.unshift(...Array(lacks).fill(row[0]));
    else row.splice(1, 0, ...Array(lacks).fill(row[1] ?? row[0]));
    need(row.at(-1) === rows[0].at(-1), `${name} has two roots`);
  }
  different(rows.map((row) => row[0]), name);
  for (let level = 1; level < length; level++) {
    const up = new Map();
    for (const row of rows) need((up.get(row[level - 1]) ?? row[level]) === row[level], `level ${level} of ${name} is no function of the level below`), up.set(row[level - 1], row[level]);
  }
  need(sha256(rows.map((row) => canonical(row) + "\n").sort().join("")) === digest, `${name} is another hierarchy (digest)`);
  return rows;
}

function attributeOf(name, given, occurring) {
  const bare = (value) => (value === "missing:" ? "(missing)" : value.slice(value.indexOf(":") + 1));
  different(occurring.map(bare), `the column ${name}`);
  const rows = given ?? occurring.map((value) => [bare(value), "*"]);
  const height = rows[0].length - 1, places = new Map(rows.map((row, i) => [row[0], i]));
  const levels = [];                          // by level: labels, the label of each row by its place, and rows below each
  for (let level = 0; level <= height; level++) {
    const labels = new Map(), of = rows.map((row) => labels.get(row[level]) ?? (labels.set(row[level], labels.size), labels.size - 1));
    const below = Array(labels.size).fill(0);
    for (const label of of) below[label]++;
    levels.push({ labels, of, below });
  }
  return { name, height, levels, rows: rows.length, row: new Map(occurring.map((value) => {
    must(places.has(bare(value)), `the hierarchy of ${name} has no ${value}`);
    return [value, places.get(bare(value))];
  })) };
}

// ---------------------------------------------------------------- conditions on a class
function setsOf(ground, values) {               // the order of the values, [low, high) of each set, weights over den
  const m = values.length, name = ground instanceof Map ? ground.get("name") : undefined, order = values.map((_, i) => i);
  const prefixes = order.slice(1).map((i) => [0, i]);
  if (name === "equal" || name === "ordered") {
    need(small(fields(ground, "ground", "name", "m")[1], "m") === m, "m is another number of values");
    if (name === "equal") return { order, sets: order.map((i) => [i, i + 1]), weights: order.map(() => 1n), den: 2n };
    return { order, sets: prefixes, weights: prefixes.map(() => 1n), den: BigInt(Math.max(m - 1, 1)) };
  }
  if (name === "ordered-by-value") {
    const x = list(fields(ground, "ground", "name", "values")[1], "values of ground").map((v) => fraction(v, "a value of ground"));
    need(x.length === m, "ground has another number of values");
    const common = x.reduce((d, v) => d * v.den / gcd(d, v.den), 1n), at = x.map((v) => v.num * (common / v.den));
    order.sort((a, b) => (at[a] < at[b] ? -1 : at[a] > at[b] ? 1 : a - b));
    const span = m ? at[order[m - 1]] - at[order[0]] : 0n;
    return { order, sets: prefixes, weights: prefixes.map(([, i]) => at[order[i]] - at[order[i - 1]]), den: span || 1n };
  }
  if (name === "hierarchical") {
    const [, paths, of, trivial] = fields(ground, "ground", "name", "paths", "values", "trivial_levels");
    need(trivial === "collapse" || trivial === "keep", "trivial_levels is collapse or keep");
    const down = list(paths, "paths").map((path) => texts(path, "a path").reverse());
    const leaf = list(of, "values of ground").map((v) => small(v, "a place in paths"));
    need(different(leaf, "values of ground").length === m && leaf.every((p) => p < down.length), "ground has other values");
    need(down.length && down.every((path) => path.length && path[0] === down[0][0]), "paths have one root");
    const nodes = new Map();                    // distance and label -> node
    for (const [place, path] of down.entries()) {
      let parent = null;
      path.forEach((label, depth) => {
        const key = depth + " " + label;
        if (!nodes.has(key)) nodes.set(key, { parent, children: [], leaves: [] }), parent?.children.push(nodes.get(key));
        need(nodes.get(key).parent === parent, "a node of ground has two parents");
        parent = nodes.get(key);
      });
      parent.leaves.push(place);
    }
    need([...nodes.values()].every((node) => node.leaves.length + (node.children.length ? 1 : 0) === 1), "paths of ground end above one another, or are equal");
    const root = nodes.values().next().value, sequence = [], spans = [];
    const visit = (node) => {
      const low = sequence.length;
      for (const place of node.leaves) leaf.forEach((p, v) => { if (p === place) sequence.push(v); });
      node.children.forEach(visit);
      const step = node.children.length === 1 && trivial === "collapse" ? 0n : 1n;
      node.height = node.children.reduce((most, child) => (child.height + step > most ? child.height + step : most), 0n);
      spans.push([node, low, sequence.length]);
    };
    visit(root);
    const inner = spans.filter(([node]) => node !== root);
    return { order: sequence, sets: inner.map(([, low, high]) => [low, high]), den: 2n * root.height || 1n,
             weights: inner.map(([node]) => (root.height ? node.parent.height - node.height : 0n)) };
  }
  need(name === "laminar", `unknown ground distance ${name}`);
  const [, places, low, high, weights, den] = fields(ground, "ground", "name", "order", "low", "high", "weights", "denominator");
  const at = (items, what) => list(items, what).map((v) => small(v, what));
  const made = { order: different(at(places, "order"), "order"), weights: list(weights, "weights").map((w) => whole(w, "a weight")),
                 den: whole(den, "denominator", 1n) };
  const ends = at(high, "high");
  made.sets = at(low, "low").map((from, i) => [from, ends[i]]);
  need(made.order.length === m && made.order.every((v) => v < m), "order is not that of the values");
  need(ends.length === made.sets.length && made.weights.length === ends.length, "low, high and weights differ in length");
  need(made.sets.every(([from, to]) => from < to && to <= m), "a set of ground is not from low to high");
  const open = [];
  for (const [from, to] of [...made.sets].sort((a, b) => a[0] - b[0] || b[1] - a[1])) {
    while (open.length && open.at(-1) <= from) open.pop();
    need(!open.length || to <= open.at(-1), "two sets of ground cross");
    open.push(to);
  }
  return made;
}

const sum = (counts) => counts.reduce((a, b) => a + b, 0);

function conditionOf(object, values, Q) {         // meets(counts, n), and most(counts, n): no part that meets it is larger
  const N = BigInt(sum(Q)), kind = object instanceof Map ? object.get("condition") : undefined;
  const get = (...keys) => fields(object, "a condition", "condition", ...keys).slice(1);
  const all = { counting: false, least: 0, most: (_counts, n) => n };
  const orNothing = (condition) => ({ ...condition, most: (counts, n) => (condition.meets(counts, n) ? n : 0) });
  const even = (condition) => ({ ...condition, most: (counts, n) => {
    if (condition.meets(counts, n)) return n;
    const cut = (C) => counts.map((c) => Math.min(c, C));
    let low = 0, high = Math.max(...counts);      // the counts cut at high break it
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2), part = cut(middle);
      if (condition.meets(part, sum(part))) low = middle; else high = middle;
    }
    return sum(cut(high)) - 1;
  } });
  if (kind === "records") {
    const least = small(get("least")[0], "least", 1n);
    return orNothing({ counting: true, least, meets: (_counts, n) => n >= least });
  }
  if (kind === "values") {
    const least = small(get("least")[0], "least", 1n);
    return orNothing({ counting: true, least, meets: (counts) => counts.filter((c) => c > 0).length >= least });
  }
  if (kind === "entropy") {
    const l = fraction(get("l")[0], "l");
    need(l.num > 0n, "l is above 0");
    return even({ ...all, meets: (counts, n) => {
      need(n < 2 ** 24, "a class is too large for the entropy in whole numbers");
      const g = counts.reduce((a, b) => { while (b) [a, b] = [b, a % b]; return a; }, 0) || 1;
      let left = l.num ** BigInt(n / g);
      for (const c of counts) if (c) left *= BigInt(c) ** BigInt(c / g);
      return left <= (BigInt(n) * l.den) ** BigInt(n / g);
    } });
  }
  if (kind === "tail") {
    const [from, factor] = get("l", "c"), l = small(from, "l", 1n), c = fraction(factor, "c");
    return even({ ...all, meets: (counts) => {
      const r = counts.filter((x) => x > 0).sort((a, b) => b - a);
      return l === 1 || BigInt(r[0] ?? 0) * c.den < c.num * BigInt(sum(r.slice(l - 1)));
    } });
  }
  if (kind === "share") {
    const [most, named] = get("most", "values"), s = fraction(most, "most");
    const asked = named === null ? null : new Set(different(texts(some(named, "values of a share"), "values of a share"), "values of a share"));
    const condition = { ...all, meets: (counts, n) => counts.every((c, v) =>
      (asked !== null && !asked.has(values[v])) || BigInt(c) * s.den <= s.num * BigInt(n)) };
    return asked === null ? even(condition) : condition;
  }
  if (kind === "gain") {
    const b = fraction(get("most")[0], "most");
    return { ...all, meets: (counts, n) => counts.every((c, v) => BigInt(c) * N * b.den <= (b.num + b.den) * BigInt(Q[v]) * BigInt(n)) };
  }
  need(kind === "distance", `unknown condition ${kind}`);
  const [most, ground] = get("t", "ground"), t = fraction(most, "t"), { order, sets, weights, den } = setsOf(ground, values);
  const within = (counts) => {                    // x(S) for each set S
    const up = [0];
    for (const v of order) up.push(up.at(-1) + counts[v]);
    return sets.map(([low, high]) => BigInt(up[high] - up[low]));
  };
  const QS = within(Q), abs = (a) => (a < 0n ? -a : a);
  const meets = (counts, n) => {
    const size = BigInt(n), far = within(counts).reduce((s, x, i) => s + weights[i] * abs(N * x - size * QS[i]), 0n);
    return far * t.den <= t.num * size * N * den;
  };
  return { ...all, meets, most: (counts, n) => {
    if (meets(counts, n)) return n;
    let x = counts, best = n;
    for (let round = 0; round < 4; round++) {
      const size = BigInt(sum(x)), u = values.map(() => 0n), steps = Array(values.length + 1).fill(0n);
      within(x).forEach((xS, i) => {
        const side = N * xS - size * QS[i], w = size === 0n || side === 0n ? 0n : side > 0n ? weights[i] : -weights[i];
        steps[sets[i][0]] += w;
        steps[sets[i][1]] -= w;
      });
      let here = 0n;
      order.forEach((v, i) => { u[v] = here += steps[i]; });
      const mean = u.reduce((s, a, j) => s + BigInt(Q[j]) * a, 0n);
      const d = u.map((a) => t.den * (N * a - mean) - t.num * N * den);     // in units of 1/(den of t times den)
      const next = Array(values.length).fill(0);
      let room = 0n;
      for (const v of values.map((_, i) => i).sort((a, b) => (d[a] < d[b] ? -1 : d[a] > d[b] ? 1 : a - b))) {
        const fit = d[v] <= 0n ? BigInt(counts[v]) : room / d[v];
        next[v] = fit < BigInt(counts[v]) ? Number(fit) : counts[v];
        room -= d[v] * BigInt(next[v]);
      }
      x = next;
      best = Math.min(best, sum(x));
    }
    return best;
  } };
}

// ---------------------------------------------------------------- the lattice
class Lattice {
  constructor(attributes, table, values, conditions) {
    Object.assign(this, { attributes, values, conditions, cache: new Map() });
    const at = new Map(values.map((v, i) => [v, i])), rows = new Map();
    for (const [combination, count] of table) {
      const sensitive = at.get(combination.at(-1));
      must(sensitive !== undefined, `values lack ${combination.at(-1)}`);
      const key = combination.slice(0, -1).map((value, i) => attributes[i].row.get(value));
      const group = rows.get(key.join()) ?? { key, counts: Array(values.length).fill(0) };
      rows.set(key.join(), group);
      group.counts[sensitive] += count;
    }
    this.rows = [...rows.values()];
    for (const row of this.rows) row.n = sum(row.counts);
    this.N = sum(this.rows.map((row) => row.n));
    this.heights = attributes.map((a) => a.height);
    this.size = this.heights.reduce((a, h) => a * (h + 1), 1);
    need(this.size <= 2 ** 26, "the lattice has more than 2^26 nodes");
    this.strides = this.heights.map((_, i) => this.heights.slice(i + 1).reduce((a, h) => a * (h + 1), 1));
  }
  node(value, name) {
    const levels = list(value, name).map((level) => small(level, `a level of ${name}`));
    need(levels.length === this.heights.length && levels.every((l, i) => l <= this.heights[i]), `${name} has a node outside the lattice`);
    return levels;
  }
  nodes(value, name) {
    const nodes = list(value, name).map((node) => this.node(node, name));
    different(nodes.map(String), name, must);
    return nodes;
  }
  place(node) { return node.reduce((p, level, i) => p + level * this.strides[i], 0); }
  at(place) { return this.strides.map((s, i) => Math.floor(place / s) % (this.heights[i] + 1)); }
  // A byte for each node: 1 where it lies at or below (down), or at or above (up), one of the nodes.
  closure(nodes, down) {
    const marks = new Uint8Array(this.size);
    for (const node of nodes) marks[this.place(node)] = 1;
    this.strides.forEach((stride, i) => {
      for (let k = 0; k < this.size; k++) {
        const p = down ? this.size - 1 - k : k, level = Math.floor(p / stride) % (this.heights[i] + 1);
        if (down ? level < this.heights[i] && marks[p + stride] : level > 0 && marks[p - stride]) marks[p] = 1;
      }
    });
    return marks;
  }
  classes(node) {
    const classes = new Map();
    for (const { key, counts } of this.rows) {
      const labels = key.map((row, i) => this.attributes[i].levels[node[i]].of[row]), name = labels.join();
      const known = classes.get(name);
      if (known) { for (let v = 0; v < counts.length; v++) known.counts[v] += counts[v]; }
      else classes.set(name, { labels, counts: counts.slice() });
    }
    for (const made of classes.values()) made.n = sum(made.counts);
    return classes;
  }
  meets({ counts, n }) { return this.conditions.every((c) => c.meets(counts, n)); }
  satisfies(node) { return [...this.classes(node).values()].every((c) => this.meets(c)); }
}

function requireSatisfying(lattice, nodes) {
  for (const node of nodes) must(lattice.satisfies(node), `a class of node [${node}] breaks a condition`);
}

function violatingNodes(lattice, entries) {
  const known = new Map();
  return list(entries, "violating").map((entry) => {
    const [levels, labels] = fields(entry, "an entry of violating", "node", "class"), node = lattice.node(levels, "violating");
    const names = texts(labels, "a class");
    need(names.length === node.length, "a class has a label for each quasi-identifier");
    if (!known.has(String(node))) known.set(String(node), lattice.classes(node));
    const found = known.get(String(node)).get(names.map((label, i) => lattice.attributes[i].levels[node[i]].labels.get(label)).join());
    must(found, `no record is in class [${names}] of node [${node}]`);
    must(!lattice.meets(found), `class [${names}] of node [${node}] meets all conditions`);
    return node;
  });
}

function minimal(lattice, proof) {
  const [, some, entries] = fields(proof, "proof", "values", "minimal", "violating");
  const nodes = lattice.nodes(some, "minimal");
  requireSatisfying(lattice, nodes);
  const down = lattice.closure(violatingNodes(lattice, entries), true), up = lattice.closure(nodes, false);
  for (let p = 0; p < lattice.size; p++) must(up[p] || down[p], `nothing is said about node [${lattice.at(p)}]`);
  for (const node of nodes)
    node.forEach((level, i) => must(!level || down[lattice.place(node) - lattice.strides[i]], `node [${node}] is not shown to be minimal`));
  return nodes.length ? `the nodes that satisfy are those at or above [${nodes.join("], [")}]` : "no node satisfies";
}

// ---------------------------------------------------------------- losses: a cost is { num, den }, less is better
const above = (a, b) => a.num * b.den > b.num * a.den;
const LABELS = {                                  // of a label, and of a suppressed record, where it is not that label's
  "height": [(a, level, below, N) => over(BigInt(level), N), null],
  "mean-height": [(a, level, below, N) => over(BigInt(level), N), (a, N) => over(BigInt(a.height), N)],
  "precision": [(a, level) => over(BigInt(level), BigInt(a.height || 1)), () => over(1n)],
  "ncp": [(a, level, below) => (below === 1 ? over(0n) : over(BigInt(below), BigInt(a.rows))), () => over(1n)],
  "lm": [(a, level, below) => over(BigInt(below - 1), BigInt(a.rows - 1 || 1)), () => over(1n)],
};
LABELS.gcp = LABELS.ncp;

function lossOfLabels(name, lattice) {
  const [ofLabel, ofSuppressed] = LABELS[name], N = BigInt(lattice.N);
  const labels = lattice.attributes.map((a) => a.levels.map((l, level) => l.below.map((below) => ofLabel(a, level, below, N))));
  const gone = lattice.attributes.map((a) => (ofSuppressed ? ofSuppressed(a, N) : over(0n)));
  const den = [...labels.flat(2), ...gone].reduce((d, f) => (d * f.den) / gcd(d, f.den), 1n), int = (f) => f.num * (den / f.den);
  const units = labels.map((levels) => levels.map((l) => l.map(int))), ofGone = gone.reduce((s, f) => s + int(f), 0n);
  const totals = lattice.attributes.map((a, i) => a.levels.map((l, level) => lattice.rows.reduce(
    (s, row) => s + BigInt(row.n) * units[i][level][l.of[row.key[i]]], 0n)));
  const divisor = ["precision", "gcp", "lm"].includes(name) ? den * N * BigInt(lattice.attributes.length) : den;
  return {
    whole: (node) => ({ num: node.reduce((s, level, i) => s + totals[i][level], 0n), den: 1n }),      // nothing suppressed
    cost: (node, kept, suppressed) => ({ den: 1n, num: (ofSuppressed ? kept : [...kept, ...suppressed]).reduce((s, c) =>
      s + BigInt(c.n) * node.reduce((t, level, i) => t + units[i][level][c.labels[i]], 0n), 0n)
      + ofGone * BigInt(ofSuppressed ? sum(suppressed.map((c) => c.n)) : 0) }),
    value: ({ num }) => (name === "precision" ? over(divisor - num, divisor) : over(num, divisor)),
  };
}

function lossOfClasses(name, lattice) {
  const [, base, , size, given] = /^(discernibility(-one-class|-before-suppression|-excluded)?|(class-size(?:-in-n|-one-class)?)(?:\/(.*))?)$/s.exec(name) ?? [];
  must(base, `unknown loss ${name}`);
  const k = given === undefined ? over(1n) : fraction(given, "what class-size is over");
  need(k.num > 0n, "what class-size is over is not above 0");
  const N = BigInt(lattice.N), n = (classes) => BigInt(sum(classes.map((c) => c.n)));
  const squares = (classes) => classes.reduce((s, c) => s + BigInt(c.n) ** 2n, 0n), per = (num, classes) => over(num * k.den, BigInt(classes) * k.num);
  const cost = {
    "discernibility": (kept, gone) => over(squares(kept) + N * n(gone)),
    "discernibility-one-class": (kept, gone) => over(squares(kept) + n(gone) ** 2n),
    "discernibility-before-suppression": (kept, gone) => over(squares(kept) + squares(gone)),
    "discernibility-excluded": (kept) => over(squares(kept)),
    "class-size": (kept) => per(n(kept), kept.length),
    "class-size-in-n": (kept) => per(N, kept.length),
    "class-size-one-class": (kept, gone) => per(N, kept.length + (gone.length ? 1 : 0)),
  }[size ?? base];
  return { cost: (node, kept, gone) => cost(kept, gone), value: (c) => c, whole: null,
           falls: base === "discernibility-excluded" || size === "class-size" };
}

const lossOf = (name, lattice) => (Object.hasOwn(LABELS, name) ? lossOfLabels : lossOfClasses)(name, lattice);

function optimum(lattice, proof) {
  const [, lossName, value, some, entries] = fields(proof, "proof", "values", "loss", "value", "optima", "violating");
  must(Object.hasOwn(LABELS, text(lossName, "loss")), `unknown loss ${lossName}`);
  const loss = lossOf(lossName, lattice), nodes = lattice.nodes(some, "optima"), stated = value;
  need(nodes.length, "optima is empty");
  requireSatisfying(lattice, nodes);
  for (const node of nodes) {
    const found = loss.value(loss.whole(node));
    must(show(found) === stated, `node [${node}] loses ${show(found)}, not ${value}`);
  }
  const down = lattice.closure(violatingNodes(lattice, entries), true), best = loss.whole(nodes[0]);
  const named = new Set(nodes.map((node) => lattice.place(node)));
  for (let p = 0; p < lattice.size; p++)
    must(down[p] || named.has(p) || above(loss.whole(lattice.at(p)), best), `node [${lattice.at(p)}] loses no more, and is not shown to violate`);
  return `the nodes that satisfy and lose least are [${nodes.join("], [")}]: ${lossName} = ${value}`;
}

// ---------------------------------------------------------------- searches under a limit of suppression
function released(lattice, node, limit) {         // the classes that stay, those that are suppressed, and whether that may be
  const classes = [...lattice.classes(node).values()], kept = [], gone = [];
  for (const c of classes) (lattice.meets(c) ? kept : gone).push(c);
  const lost = sum(gone.map((c) => c.n));
  return { kept, gone, satisfies: lost <= limit && lost < lattice.N };
}

function limitOf(value, lattice) {
  need(small(value, "limit") <= lattice.N, "limit is above the number of records");
  return Number(value);
}

function nodesBelowNothing(lattice, value, limit) {  // of each, more than the limit or all must leave
  const nodes = lattice.nodes(value, "violating"), least = Math.max(0, ...lattice.conditions.map((c) => c.least));
  for (const node of nodes) {
    let leave = 0;
    for (const c of lattice.classes(node).values()) {
      const most = Math.min(c.n, ...lattice.conditions.map((condition) => condition.most(c.counts, c.n)));
      leave += c.n - (most < least ? 0 : most);
    }
    must(leave > limit || leave === lattice.N, `below node [${node}] no more than ${leave} records are shown to be suppressed`);
  }
  return lattice.closure(nodes, true);
}

function limitedMinimal(lattice, proof) {
  const [, most, some, stay, leave] = fields(proof, "proof", "values", "limit", "minimal", "satisfying", "violating");
  const limit = limitOf(most, lattice), minimalNodes = lattice.nodes(some, "minimal"), satisfying = lattice.nodes(stay, "satisfying");
  const down = nodesBelowNothing(lattice, leave, limit), counting = lattice.conditions.every((c) => c.counting);
  for (const node of satisfying) {
    const { gone, satisfies } = released(lattice, node, limit);
    must(satisfies && (counting || !gone.length), `nodes above [${node}] are not shown to satisfy`);
  }
  const holds = lattice.closure(satisfying, false), named = new Set(minimalNodes.map((node) => lattice.place(node)));
  for (let p = 0; p < lattice.size; p++) {
    const node = lattice.at(p);
    holds[p] ||= !down[p] && released(lattice, node, limit).satisfies ? 1 : 0;
    const isMinimal = holds[p] === 1 && !node.some((level, i) => level && holds[p - lattice.strides[i]]);
    must(isMinimal === named.has(p), `node [${node}] is ${isMinimal ? "" : "not "}minimal`);
  }
  return named.size ? `with at most ${limit} suppressed, minimal are [${minimalNodes.join("], [")}]` : `with at most ${limit} suppressed no node satisfies`;
}

function limitedOptimum(lattice, proof) {
  const [, most, lossName, value, some, leave] = fields(proof, "proof", "values", "limit", "loss", "value", "optima", "violating");
  const limit = limitOf(most, lattice), loss = lossOf(text(lossName, "loss"), lattice), nodes = lattice.nodes(some, "optima");
  const stated = value, down = nodesBelowNothing(lattice, leave, limit);
  need(nodes.length, "optima is empty");
  let best;
  for (const node of nodes) {
    const { kept, gone, satisfies } = released(lattice, node, limit);
    must(satisfies, `node [${node}] violates`);
    best = loss.cost(node, kept, gone);
    must(show(loss.value(best)) === stated, `node [${node}] loses ${show(loss.value(best))}, not ${value}`);
  }
  const named = new Set(nodes.map((node) => lattice.place(node))), more = new Uint8Array(lattice.size);
  for (let p = 0; p < lattice.size; p++) {
    const node = lattice.at(p), grows = !loss.whole && (limit === 0 || !loss.falls);
    if (grows && node.some((level, i) => level && more[p - lattice.strides[i]])) more[p] = 1;
    if (named.has(p) || down[p] || more[p] || (loss.whole && above(loss.whole(node), best))) continue;
    const { kept, gone, satisfies } = released(lattice, node, limit);
    must(!satisfies || above(loss.cost(node, kept, gone), best), `node [${node}] satisfies and loses no more`);
    if (grows && above(loss.cost(node, [...kept, ...gone], []), best)) more[p] = 1;
  }
  return `with at most ${limit} suppressed, those that lose least are [${nodes.join("], [")}]: ${lossName} = ${value}`;
}

// ---------------------------------------------------------------- the certificate
const LIMIT = "at a node the records of the classes that violate the model, measured against all records, are suppressed, which may be up to `limit` and not all; ";
const TASKS = {                                   // the statement, and what decides on it
  "minimal": ["no record is suppressed; the nodes that satisfy the model are those above one of `minimal`, and no node of `minimal` lies above another", minimal],
  "optimum": ["no record is suppressed; `optima` are all nodes of least loss among those that satisfy the model", optimum],
  "limited-minimal": [LIMIT + "`minimal` are the nodes that satisfy so and have no direct specialization that does", limitedMinimal],
  "limited-optimum": [LIMIT + "`optima` are all nodes of least loss, measured after that, among those that satisfy so", limitedOptimum],
};

function check(certificatePath, tablePath, folder) {
  const bytes = readFileSync(certificatePath);
  need(bytes.length <= MOST_BYTES, "the certificate is larger than 32 MiB");
  const certificate = parse(decode(bytes, "utf-8"));
  const [format, statement, about, how, digests, model, proof, seal] = fields(
    certificate, "the certificate", "format", "statement", "table", "reading", "hierarchies", "model", "proof", "sha256");
  certificate.delete("sha256");
  need(sha256(canonical(certificate)) === seal, "the certificate was changed (sha256)");
  const name = /^tcloseness-(.*)-certificate-1$/.exec(text(format, "format"))?.[1] ?? "";
  need(Object.hasOwn(TASKS, name), `no checker here for ${format}`);
  need(TASKS[name][0] === statement, `another statement than that of ${name}`);

  const [digest, file, attributes, sensitive, records] = fields(about, "table", "digest", "file_sha256", "quasi_identifiers", "sensitive", "records");
  const [separator, encoding, missingTexts, missing, weight, hierarchySeparator, ragged] = fields(
    how, "reading", "separator", "encoding", "missing_texts", "missing", "weight", "hierarchy_separator", "ragged");
  need(["error", "category", "drop"].includes(missing), "missing is error, category or drop");
  need(["error", "repeat-leaf", "repeat-parent"].includes(ragged), "ragged is error, repeat-leaf or repeat-parent");
  const reading = { separator: text(separator, "separator"), encoding: text(encoding, "encoding"), missing, ragged,
                    missingTexts: new Set(texts(missingTexts, "missing_texts")), weight: weight === null ? null : text(weight, "weight"),
                    hierarchySeparator: hierarchySeparator === null ? null : text(hierarchySeparator, "hierarchy_separator") };
  const table = { digest, file, attributes: different(texts(attributes, "quasi_identifiers"), "quasi_identifiers"), sensitive: text(sensitive, "sensitive") };
  const counts = readTable(readFileSync(tablePath), table, reading);
  need(BigInt(sum(counts.map(([, count]) => count))) === whole(records, "records", 1n), "records is another number");

  const values = different(texts(some(proof instanceof Map ? proof.get("values") : null, "values"), "values"), "values", must);
  const given = fields(digests, "hierarchies", ...table.attributes);
  const lattice = new Lattice(table.attributes.map((column, i) => attributeOf(
    column, given[i] === null ? null : readHierarchy(folder, column, given[i], reading), [...new Set(counts.map(([row]) => row[i]))],
  )), counts, values, conditionsOf(model, values, counts));
  return `proved: ${TASKS[name][1](lattice, proof)}; of ${records} records (${must.file ? "the CSV file was read" : "the counts were read"})`;
}

function conditionsOf(model, values, counts) {
  const at = new Map(values.map((v, i) => [v, i])), Q = Array(values.length).fill(0);
  for (const [combination, count] of counts) Q[at.get(combination.at(-1)) ?? refuted(`values lack ${combination.at(-1)}`)] += count;
  return some(model, "model").map((condition) => conditionOf(condition, values, Q));
}

function answer(...paths) {
  try {
    return [0, check(...paths)];
  } catch (error) {
    if (error instanceof Refuted) return [1, `refuted: ${error.message}`];
    if (error instanceof Unreadable) return [2, `not read: ${error.message}`];
    if (error instanceof RangeError || error.code) return [2, `not read: ${error.message}`];
    throw error;
  }
}

const given = process.argv.slice(2);
if (given[0] === "--list") {                      // a file of lines CERTIFICATE <tab> TABLE <tab> FOLDER; a line of JSON for each
  for (const line of readFileSync(given[1], "utf8").split("\n").filter(Boolean)) console.log(JSON.stringify(answer(...line.split("\t"))));
} else if (given.length < 2 || given.length > 3) {
  console.error("usage: node check.mjs CERTIFICATE TABLE [HIERARCHIES_FOLDER]");
  process.exitCode = 2;
} else {
  const [code, sentence] = answer(...given);
  console.log(sentence);
  process.exitCode = code;
}
