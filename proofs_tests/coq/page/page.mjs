// The page: files are read here, and what is in the certificate is decided by the program extracted from Coq.
import { MOST_BYTES, Refuted, Unreadable, canonical, fields, need, parse, some, text, texts } from "./forms.mjs";
import { bare, countsOf, decode, isCounts, levelsOf, linesOfCounts, linesOfRows, onlyMarks, readingOf } from "./reading.mjs";

const byName = (id) => document.getElementById(id);
const ascii = (bytes) => { let found = ""; for (let i = 0; i < bytes.length; i += 4096) found += String.fromCharCode(...bytes.subarray(i, i + 4096)); return found; };
const digestOf = (bytes) => globalThis.tclosenessDigest(ascii(bytes));
const block = (kind, lines) => `${kind} ${lines.split("\n").length - 1}\n${lines}`;

const SUMS = "tcloseness-composition-certificate-1";

// what the program found; what it did not accept is an error
function found(blocks, certificate) {
  const [, verdict, words] = /^(\w+) (.*)$/s.exec(globalThis.tclosenessAnswers(`${blocks}certificate 1\n${canonical(certificate)}\n`));
  if (verdict === "refused") throw new Refuted(words);
  if (verdict !== "accepted") throw new Unreadable(words);
  return words;
}

// a release is the file that has the counts of this digest, whatever its name; null if a file cannot be read so
function releaseLines(file, columns, reading) {
  try {
    return linesOfCounts(countsOf(file.bytes, columns, reading), columns);
  } catch (error) {
    if (error instanceof Unreadable) return null;
    throw error;
  }
}

function checkSums(certificate, files) {
  const [, statement, releases] = fields(certificate, "the certificate", "format", "statement", "releases", "values", "cells", "facts", "sha256");
  const used = new Set(), names = [];
  let blocks = "";
  some(releases, "releases").forEach((release, r) => {
    const [digest, attributes, sensitive, , how] = fields(release, `release ${r + 1}`, "digest", "quasi_identifiers", "sensitive", "records", "reading", "classes");
    const columns = [...texts(attributes, "quasi_identifiers"), text(sensitive, "sensitive")], reading = readingOf(how);
    const known = files.map((file) => [file, releaseLines(file, columns, reading)]);
    const own = known.find(([, lines]) => lines !== null && globalThis.tclosenessDigest(lines) === digest);
    need(own, `no file has the counts of release ${r + 1}, of the columns ${columns.join(", ")}`);
    used.add(own[0]);
    names.push(own[0].name);
    blocks += block(r ? "release" : "counts", own[1]);
  });
  const odd = files.filter((file) => !used.has(file)).map((file) => file.name);
  need(odd.length === 0, `these are neither the certificate nor one of its releases: ${odd.join(", ")}`);
  return { verdict: "Proved", sentences: [`${found(blocks, certificate)}.`, `That is: ${text(statement, "statement")}.`, `It is about the counts of ${names.join(", then ")}.`] };
}

// what is checked, of files with a name and bytes: a verdict in one word, and sentences
export function check(files) {
  const isJson = (bytes) => /^[\t\n\r ]*\{/.test(ascii(bytes.subarray(0, 64)).replace(/^\u00ef\u00bb\u00bf/, ""));
  const certificates = files.filter((file) => isJson(file.bytes));
  need(certificates.length === 1, certificates.length ? "several certificates are given; give one" : "no certificate is given; it is a file of JSON");
  const [given] = certificates;
  need(given.bytes.length <= MOST_BYTES, "the certificate is larger than 32 MiB");
  const certificate = parse(decode(given.bytes, "utf-8"));
  if (certificate.get("format") === SUMS) return checkSums(certificate, files.filter((file) => file !== given));
  const [, statement, about, how, digests] = fields(
    certificate, "the certificate", "format", "statement", "table", "reading", "hierarchies", "model", "proof", "sha256");
  const [, fileDigest, attributes, sensitive] = fields(about, "table", "digest", "file_sha256", "quasi_identifiers", "sensitive", "records");
  const reading = readingOf(how), names = texts(attributes, "quasi_identifiers");
  const columns = sensitive === null ? names : [...names, text(sensitive, "sensitive")];

  const nameOf = (column) => [".csv", ".tsv", ".tab"].map((end) => column + end);
  const hierarchies = names.map((column) => files.find((file) => nameOf(column).includes(file.name)));
  const tables = files.filter((file) => file !== given && !hierarchies.includes(file));
  need(tables.length > 0, "no table is given; it is a CSV file, or what --counts wrote");
  need(tables.length === 1, `these are neither the certificate nor the hierarchy of one of ${names.join(", ")}; give one table: ${tables.map((file) => file.name).join(", ")}`);
  const [table] = tables, counts = countsOf(table.bytes, columns, reading);
  let blocks = block("counts", linesOfCounts(counts, columns));
  const own = fields(digests, "hierarchies", ...names);
  hierarchies.forEach((file, i) => {
    const column = columns[i];
    need(file || own[i] === null, `the hierarchy of ${column} is not given; its file is ${nameOf(column)[0]}`);
    if (!file) return;
    const rows = levelsOf(file.bytes, file.name, reading);
    if (own[i] !== null) blocks += block("hierarchy", canonical(column) + "\n" + linesOfRows(rows));
    else need(onlyMarks(rows, [...new Set([...counts.keys()].map((key) => JSON.parse(key)[i]))]), `${file.name} holds more than the values that occur and *`);
  });
  const words = found(blocks, certificate);
  const source = isCounts(table.bytes) ? `the counts in ${table.name}`
    : fileDigest === digestOf(table.bytes) ? `this very file, ${table.name}` : `the counts of ${table.name} (the certificate names the SHA-256 of ${fileDigest === null ? "no file" : "another file"})`;
  return { verdict: "Proved", sentences: [`${words}.`, `That is: ${text(statement, "statement")}.`, `It is about ${source}; columns ${columns.join(", ")}.`] };
}

export function answer(files) {
  try {
    return check(files);
  } catch (error) {
    if (error instanceof Refuted) return { verdict: "Refuted", sentences: [`The proof does not hold: ${error.message}.`] };
    if (error instanceof Unreadable) return { verdict: "Not checked", sentences: [`${error.message}.`] };
    if (error instanceof RangeError) return { verdict: "Not checked", sentences: ["It is too large for this page; tcloseness verify has no such limit."] };
    throw error;
  }
}

// ---------------------------------------------------------------- what is seen
if (globalThis.document) {
  let chosen = [];
  const show = () => {
    const list = byName("files");
    list.replaceChildren(...chosen.map((file, i) => {
      const item = document.createElement("li"), away = document.createElement("button");
      away.type = "button";
      away.textContent = "Remove";
      away.setAttribute("aria-label", `Remove ${file.name}`);
      away.addEventListener("click", () => { chosen.splice(i, 1); show(); });
      item.append(`${file.name} (${file.bytes.length.toLocaleString("en")} bytes) `, away);
      return item;
    }));
    const verdict = byName("verdict");
    if (!chosen.length) return verdict.replaceChildren();
    verdict.textContent = "Checking …";
    setTimeout(() => {
      const found = answer(chosen), heading = document.createElement("h2");
      heading.textContent = found.verdict;
      heading.className = found.verdict === "Proved" ? "proved" : found.verdict === "Refuted" ? "refuted" : "unread";
      verdict.replaceChildren(heading, ...found.sentences.map((sentence) => {
        const p = document.createElement("p");
        p.textContent = sentence;
        return p;
      }));
    }, 30);
  };
  const take = async (files) => {
    for (const file of files) {
      const one = { name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) };
      chosen = [...chosen.filter((other) => other.name !== one.name), one];
    }
    show();
  };
  byName("choose").addEventListener("change", (event) => take(event.target.files));
  const drop = byName("drop");
  for (const kind of ["dragover", "dragenter"]) drop.addEventListener(kind, (event) => { event.preventDefault(); drop.classList.add("over"); });
  drop.addEventListener("dragleave", () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => { event.preventDefault(); drop.classList.remove("over"); take(event.dataTransfer.files); });
  globalThis.tclosenessTake = take;
}
