// A checker of certificates about lattices, written from docs/certificates.md alone.
//   node check.mjs CERTIFICATE TABLE HIERARCHIES_FOLDER
// Exit codes: 0 proved, 1 refuted, 2 unreadable or about another table. See README.md beside this file.
import { readFileSync } from "node:fs";
import { conditionsOf, sum } from "./conditions.mjs";
import { attributeOf, readHierarchy, readTable, sha256 } from "./files.mjs";
import { MOST_BYTES, Refuted, Unreadable, canonical, different, fields, must, need, parse, some, text, texts, whole } from "./forms.mjs";
import { cut } from "./cut.mjs";
import { infeasible, kept } from "./kept.mjs";
import { Lattice, limitedMinimal, limitedOptimum, minimal, optimum } from "./lattice.mjs";
import { decode, readingOf } from "./reading.mjs";

// ---------------------------------------------------------------- the certificate
const TASKS = {                                   // the statement, and what decides on it
  "minimal": [
    "no record is suppressed; the nodes that satisfy the model are those above one of `minimal`, and no node of `minimal` lies above another",
    minimal,
  ],
  "optimum": [
    "no record is suppressed; `optima` are all nodes of least loss among those that satisfy the model",
    optimum,
  ],
  "limited-minimal": [
    "at a node the records of the classes that violate the model, measured against all records, are suppressed, which may be up to `limit` and not all; `minimal` are the nodes that satisfy so and have no direct specialization that does",
    limitedMinimal,
  ],
  "limited-optimum": [
    "at a node the records of the classes that violate the model, measured against all records, are suppressed, which may be up to `limit` and not all; `optima` are all nodes of least loss, measured after that, among those that satisfy so",
    limitedOptimum,
  ],
  "infeasible": [
    "no partition of the records, and so no cut through the hierarchies and no node, satisfies the model unless records are suppressed",
    infeasible,
  ],
  "cut": [
    "no record is suppressed; the classes of `cut` satisfy the model, its loss is `value`, and no cut through the hierarchies, of one level each if `recoding` is full-domain, satisfies the model and loses less than `bound`",
    cut,
  ],
  "suppression": [
    "at `node`, and with the reference of all records, suppression of `enough` records leaves classes that satisfy the model, and suppression of fewer than `least` does not",
    kept(false, true),
  ],
  "no-suppression": [
    "at `node`, and with the reference of all records, no records of any class satisfy the model",
    kept(false, false),
  ],
  "hiding": [
    "at `node`, and with the reference of all records, all classes have enough records; if `enough` sensitive values are hidden, then the values that each class shows satisfy the model, or it shows none; if fewer than `least` are hidden, that is not so",
    kept(true, true),
  ],
  "no-hiding": [
    "at `node`, and with the reference of all records, a class has too few records, or no values of any class satisfy the model",
    kept(true, false),
  ],
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
  const reading = readingOf(how);
  need(file === null || (typeof file === "string" && /^[0-9a-f]{64}$/.test(file)), "file_sha256 is null or a sha256");
  const table = { digest, file, attributes: different(texts(attributes, "quasi_identifiers"), "quasi_identifiers"), sensitive: sensitive === null ? null : text(sensitive, "sensitive") };
  const [counts, source] = readTable(readFileSync(tablePath), table, reading);
  need(BigInt(sum(counts.map(([, count]) => count))) === whole(records, "records", 1n), "records is another number");

  need(sensitive !== null || some(model, "model").every((each) => each instanceof Map && each.get("condition") === "records"),
    "a condition is about sensitive values, and the table has no sensitive attribute");
  const values = different(texts(some(proof instanceof Map ? proof.get("values") : null, "values"), "values"), "values", must);
  const given = fields(digests, "hierarchies", ...table.attributes);
  const occurring = table.attributes.map((_, i) => [...new Set(counts.map(([row]) => row[i]))]);
  const lattice = new Lattice(table.attributes.map((column, i) => attributeOf(
    column, readHierarchy(folder, column, given[i], reading, occurring[i]), occurring[i],
  )), counts, values, conditionsOf(model, values, counts));
  return `proved: ${TASKS[name][1](lattice, proof, model)}; of ${records} records (${source})`;
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
