// Tables and hierarchies, read from files, and their digests.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { different, must, need } from "./forms.mjs";
import { bare, countsOf, isCounts, levelsOf, linesOfCounts, linesOfRows, onlyMarks } from "./reading.mjs";

export const sha256 = (data) => createHash("sha256").update(data).digest("hex");

export function readTable(bytes, table, reading) {
  const none = table.sensitive === null;        // then all records have one value
  const columns = none ? table.attributes : [...table.attributes, table.sensitive], counts = countsOf(bytes, columns, reading);
  need(sha256(linesOfCounts(counts, columns)) === table.digest, "this is another table (digest)");
  const source = isCounts(bytes) ? "by the counts" : table.file === sha256(bytes) ? "this very file" : "by the counts of this file";
  return [[...counts].map(([key, count]) => [none ? [...JSON.parse(key), "missing:"] : JSON.parse(key), count]), source];
}

export function readHierarchy(folder, column, digest, reading, occurring) {
  const name = folder && readdirSync(folder).find((file) => [".csv", ".tsv", ".tab"].some((end) => file === column + end));
  if (digest === null && !name) return null;
  need(name, `the folder has no file of ${column}`);
  const rows = levelsOf(readFileSync(`${folder}/${name}`), name, reading);
  if (digest === null) {
    need(onlyMarks(rows, occurring), `${name} holds more than the values that occur and *`);
    return null;
  }
  need(sha256(linesOfRows(rows)) === digest, `${name} is another hierarchy (digest)`);
  return rows;
}

export function attributeOf(name, given, occurring) {
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
