// Certificates of cuts through hierarchies.
import { sum } from "./conditions.mjs";
import { fields, fraction, list, must, need, over, show, small, text, whole } from "./forms.mjs";
import { lossOfLabels, LABELS, violatingNodes } from "./lattice.mjs";

const total = (items) => items.reduce((a, b) => a + b, 0n);
const least = (a, b) => (a === null ? b : b === null || a < b ? a : b);       // null: there is none

const price = (value, name, least = 0n) => (need(whole(value, name, least) <= 2n ** 256n, `${name} is above 2^256`), value);

export function cut(lattice, proof) {
  const [, recoding, lossName, value, bound, cuts, entries, scaling, tree] = fields(
    proof, "proof", "values", "recoding", "loss", "value", "bound", "cut", "violating", "scale", "tree");
  need(recoding === "subtree" || recoding === "full-domain", "recoding is subtree or full-domain");
  must(Object.hasOwn(LABELS, text(lossName, "loss")) && lossName !== "precision", `unknown loss ${lossName}`);
  const loss = lossOfLabels(lossName, lattice), scale = price(scaling, "scale", 1n), full = recoding === "full-domain";
  const trees = lattice.attributes.map((a, i) => treeOf(a, loss.units[i], lattice.rows.map((row) => [row.key[i], row.n])));

  // the cut that is stated
  const nodeOf = (given, i, name) => {
    const [level, label] = list(given, name), l = small(level, `a level of ${name}`);
    need(given.length === 2, `a node of ${name} has a level and a label`);
    must(l <= lattice.heights[i], `${name} names no node of its hierarchy`);
    const found = trees[i].at(l, lattice.attributes[i].levels[l].labels.get(text(label, "a label")));
    return found ?? must(false, `${name} names no node of its hierarchy`);
  };
  need(list(cuts, "cut").length === trees.length, "cut has a list for each quasi-identifier");
  const stated = cuts.map((nodes, i) => list(nodes, "cut").map((node) => nodeOf(node, i, "cut")));
  const covers = stated.map((nodes, i) => {
    must(new Set(nodes).size === nodes.length, "cut names a node twice");
    must(!full || new Set(nodes.map((node) => node.level)).size === 1, "nodes of the cut have several levels");
    const over_ = lattice.attributes[i].levels[0].of.map((_, row) => nodes.filter((node) => lattice.attributes[i].levels[node.level].of[row] === node.label));
    must(over_.every((found) => found.length === 1), "a value has no node of the cut above it, or several");
    return over_.map(([node]) => node);
  });
  const classes = new Map();
  for (const { key, counts } of lattice.rows) {
    const name = key.map((row, i) => covers[i][row].name).join();
    const known = classes.get(name) ?? classes.set(name, counts.map(() => 0)).get(name);
    counts.forEach((c, v) => { known[v] += c; });
  }
  for (const counts of classes.values()) must(lattice.meets({ counts, n: sum(counts) }), "a class of the cut breaks a condition");
  const cost = total(stated.flat().map((node) => node.cost)), found = show(loss.value({ num: cost, den: 1n }));
  fraction(value, "value");
  must(found === value, `the cut loses ${found}, not ${value}`);

  // the classes that violate, and what they forbid
  const nodes = violatingNodes(lattice, entries);
  const tuples = nodes.map((levels, k) => {
    const labels = list(entries, "violating")[k].get("class");
    const parents = levels.map((level, i) => trees[i].at(level, lattice.attributes[i].levels[level].labels.get(labels[i])).parent).filter(Boolean);
    must(parents.length, "a class of violating is that of the roots");
    return parents;
  });

  // the proof by cases
  let at = 0, lowest = null;
  list(tree, "tree");
  const walk = (depth) => {
    need(depth < 5000, "tree is too deep");
    must(at < tree.length, "tree ends early");
    const entry = tree[at++];
    if (entry instanceof Map && entry.has("attribute")) {
      const [attribute, node] = fields(entry, "a split", "attribute", "node"), i = small(attribute, "attribute");
      need(i < trees.length, "attribute is the place of no quasi-identifier");
      const split = nodeOf(node, i, "tree"), before = split.below;
      for (const side of [false, true]) {
        if (before === null || before === side) { split.below = side; walk(depth + 1); }
        else { const dead = split.dead; split.dead = true; walk(depth + 1); split.dead = dead; }
      }
      split.below = before;
      return;
    }
    const [prices] = fields(entry, "a leaf", "prices"), used = [];
    let L = 0n;
    for (const pair of list(prices, "prices")) {
      need(list(pair, "a price").length === 2, "a price has a place and a number");
      const k = small(pair[0], "a place"), y = price(pair[1], "a price");
      need(k < tuples.length, "a price is of no class");
      for (const parent of tuples[k]) { parent.price += y * loss.den; used.push(parent); }
      L -= y * loss.den * BigInt(tuples[k].length - 1);
    }
    let empty = trees.some((t) => t.nodes.some((node) => node.dead));
    for (const t of trees) {
      const best = full ? t.bestLevel(scale) : t.best(t.root, scale);
      if (best === null) empty = true; else L += best;
    }
    for (const parent of used) parent.price = 0n;
    if (!empty) lowest = least(lowest, L);
  };
  walk(0);
  must(at === tree.length, "tree goes on");
  const up = lowest === null ? cost : least(cost, lowest >= 0n ? (lowest + scale - 1n) / scale : -(-lowest / scale));
  const stands = fraction(bound, "bound"), proved = loss.value({ num: up, den: 1n });
  must(stands.num * proved.den <= proved.num * stands.den, `no more than ${show(proved)} is proved`);
  return `a cut that satisfies loses ${value} (${lossName}), and none loses less than ${bound}`;
}

function treeOf(attribute, units, rows) {
  const levels = attribute.levels.map((l, level) => l.below.map((_, label) =>
    ({ level, label, name: `${level}/${label}`, cost: 0n, price: 0n, below: null, dead: false, parent: null, children: [] })));
  for (const [row, n] of rows) attribute.levels.forEach((l, level) => { levels[level][l.of[row]].cost += BigInt(n) * units[level][l.of[row]]; });
  attribute.levels[0].of.forEach((_, row) => {
    for (let level = 1; level < levels.length; level++) {
      const child = levels[level - 1][attribute.levels[level - 1].of[row]], parent = levels[level][attribute.levels[level].of[row]];
      if (child.parent === null) { child.parent = parent; parent.children.push(child); }
    }
  });
  const nodes = levels.flat(), root = levels.at(-1)[0];
  const must_ = (node) => node.below === true || node.children.some(must_);      // it or a node below it is gone below
  const best = (node, scale) => {
    let found = must_(node) ? null : scale * node.cost;
    if (node.below !== false && node.children.length) {
      const parts = node.children.map((child) => best(child, scale));
      if (parts.every((part) => part !== null)) found = least(found, node.price + total(parts));
    }
    return found;
  };
  const bestLevel = (scale) => levels.reduce((found, here, level) => {
    const gone = (node) => node.level > level;
    if (nodes.some((node) => node.below !== null && node.below !== gone(node))) return found;
    return least(found, total(here.map((node) => scale * node.cost)) + total(nodes.filter(gone).map((node) => node.price)));
  }, null);
  return { nodes, root, best, bestLevel, at: (level, label) => levels[level][label] };
}
