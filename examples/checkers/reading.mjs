// Tables and hierarchies, read from bytes.
import { canonical, different, fields, need, parse, small, text, texts, unreadable } from "./forms.mjs";

// ---------------------------------------------------------------- text files
export const BLANK = "\\t-\\r\\u001c-\\u0020\\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
export const strip = (cell) => cell.replace(new RegExp(`^[${BLANK}]+`, "u"), "").replace(new RegExp(`[${BLANK}]+$`, "u"), "");

function characters(bytes) {                            // each byte is one
  let found = "";
  for (let i = 0; i < bytes.length; i += 4096) found += String.fromCharCode(...bytes.subarray(i, i + 4096));
  return found;
}

export function decode(bytes, encoding) {
  const packed = [[0x1f, 0x8b], [0x42, 0x5a, 0x68], [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]];
  need(!packed.some((magic) => magic.every((b, i) => bytes[i] === b)), "packed files are not read here: unpack it");
  const name = encoding.toLowerCase().replace(/_/g, "-");
  if (["latin-1", "latin1", "iso-8859-1", "iso8859-1"].includes(name)) return characters(bytes);
  const label = { "utf-8": "utf-8", "utf8": "utf-8", "utf-8-sig": "utf-8", "ascii": "utf-8", "us-ascii": "utf-8" }[name];
  need(label, `encoding ${encoding} is not read here`);
  need(!name.endsWith("ascii") || bytes.every((b) => b < 128), "the file is not in ASCII");
  try {
    return new TextDecoder(label, { fatal: true, ignoreBOM: true }).decode(bytes).replace(/^\ufeff/, "");
  } catch { return unreadable(`the file is not in ${encoding}`); }
}

export function rowsOf(content, separator) {
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
    if (row.length > 1 || strip(content.slice(lineStart, at)) !== "") rows.push(row);      // a line of blanks alone is not a row
    row = [];
    at += content[at] === "\r" && content[at + 1] === "\n" ? 2 : 1;
    lineStart = at;
  }
  return rows;
}

export function weightOf(cell) {                        // 2, 2.0, 20e-1 and 4/2 are whole
  const found = /^([+-]?)(?:([0-9]+)\/([0-9]+)|(?=\.?[0-9])([0-9]*)(?:\.([0-9]*))?(?:e([+-]?[0-9]{1,4}))?)$/i.exec(cell);
  need(found, `the weight ${cell} is not a number`);
  const [, sign, num, den, before, behind = "", power = "0"] = found, places = behind.length - Number(power);
  const [above, below] = num ? [BigInt(num), BigInt(den)]
    : [BigInt(before + behind) * 10n ** BigInt(Math.max(-places, 0)), 10n ** BigInt(Math.max(places, 0))];
  need(below && above % below === 0n && (sign !== "-" || above === 0n), `the weight ${cell} is not a whole number`);
  return small(above / below, "a weight");
}

// ---------------------------------------------------------------- the table, as counts of combinations
const TITLE = '["tcloseness-counts-1"';
export const isCounts = (bytes) => characters(bytes.subarray(0, TITLE.length)) === TITLE;
const title = (columns) => canonical(["tcloseness-counts-1", ...columns]);

export function countsOf(bytes, columns, reading) {     // by the canonical text of a combination, its records
  const counts = new Map();
  if (isCounts(bytes)) {
    const lines = decode(bytes, "utf-8").split("\n");
    need(lines.pop() === "" && lines[0] === title(columns), "the counts are those of other columns");
    for (const line of lines.slice(1)) {
      const values = parse(line), count = values.pop();
      need(values.length === columns.length, "a line of the counts has another length");
      counts.set(canonical(texts(values, "a line of the counts")), small(count, "a count", 1n));
    }
    return counts;
  }
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
    const count = weight === null ? 1 : weightOf(strip(row[weight])), key = canonical(values);
    if (count) counts.set(key, (counts.get(key) ?? 0) + count);
  }
  return counts;
}

export const linesOfCounts = (counts, columns) =>
  [title(columns), ...[...counts].map(([key, count]) => `${key.slice(0, -1)},${count}]`).sort()].map((line) => line + "\n").join("");

// ---------------------------------------------------------------- hierarchies, as labels of values by level
export const bare = (value) => (value === "missing:" ? "(missing)" : value.slice(value.indexOf(":") + 1));
export const linesOfRows = (rows) => rows.map((row) => canonical(row) + "\n").sort().join("");

export function levelsOf(bytes, name, reading) {
  const separator = reading.hierarchySeparator ?? (name.endsWith(".csv") ? "," : "\t");
  const cells = rowsOf(decode(bytes, reading.encoding), separator);
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
    for (const row of rows) need((up.get(row[level - 1]) ?? row[level]) === row[level], `level ${level} of ${name} is not a function of the level below`), up.set(row[level - 1], row[level]);
  }
  return rows;
}

export function onlyMarks(rows, occurring) {            // what stands for no hierarchy: the values that occur, and *
  return rows.length === occurring.length && rows[0].length === 2 && rows[0][1] === "*" &&
    rows.every((row) => occurring.some((value) => bare(value) === row[0]));
}

// ---------------------------------------------------------------- how a certificate says that files are read
export function readingOf(how) {
  const [separator, encoding, missingTexts, missing, weight, hierarchySeparator, ragged] = fields(
    how, "reading", "separator", "encoding", "missing_texts", "missing", "weight", "hierarchy_separator", "ragged");
  need(["error", "category", "drop"].includes(missing), "missing is error, category or drop");
  need(["error", "repeat-leaf", "repeat-parent"].includes(ragged), "ragged is error, repeat-leaf or repeat-parent");
  return { separator: text(separator, "separator"), encoding: text(encoding, "encoding"), missing, ragged,
           missingTexts: new Set(texts(missingTexts, "missing_texts")), weight: weight === null ? null : text(weight, "weight"),
           hierarchySeparator: hierarchySeparator === null ? null : text(hierarchySeparator, "hierarchy_separator") };
}
