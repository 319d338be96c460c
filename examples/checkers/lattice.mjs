// The lattice, losses, and certificates of searches.
import { different, fields, fraction, gcd, list, must, need, over, show, small, text, texts } from "./forms.mjs";
import { sum } from "./conditions.mjs";

// ---------------------------------------------------------------- the lattice
export class Lattice {
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

export function requireSatisfying(lattice, nodes) {
  for (const node of nodes) must(lattice.satisfies(node), `a class of node [${node}] breaks a condition`);
}

export function violatingNodes(lattice, entries) {
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

export function minimal(lattice, proof) {
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
export const above = (a, b) => a.num * b.den > b.num * a.den;
export const LABELS = {                                  // of a label, and of a suppressed record, where it is not that label's
  "height": [(a, level) => over(BigInt(level)), null],                        // both over the number of records
  "mean-height": [(a, level) => over(BigInt(level)), (a) => over(BigInt(a.height))],
  "precision": [(a, level) => over(BigInt(level), BigInt(a.height || 1)), () => over(1n)],
  "ncp": [(a, level, below) => (below === 1 ? over(0n) : over(BigInt(below), BigInt(a.rows))), () => over(1n)],
  "lm": [(a, level, below) => over(BigInt(below - 1), BigInt(a.rows - 1 || 1)), () => over(1n)],
};
LABELS.gcp = LABELS.ncp;

export function lossOfLabels(name, lattice) {
  const [ofLabel, ofSuppressed] = LABELS[name], N = BigInt(lattice.N);
  const labels = lattice.attributes.map((a) => a.levels.map((l, level) => l.below.map((below) => ofLabel(a, level, below))));
  const gone = lattice.attributes.map((a) => (ofSuppressed ? ofSuppressed(a) : over(0n)));
  const den = [...labels.flat(2), ...gone].reduce((d, f) => (d * f.den) / gcd(d, f.den), 1n), int = (f) => f.num * (den / f.den);
  const units = labels.map((levels) => levels.map((l) => l.map(int))), ofGone = gone.reduce((s, f) => s + int(f), 0n);
  const totals = lattice.attributes.map((a, i) => a.levels.map((l, level) => lattice.rows.reduce(
    (s, row) => s + BigInt(row.n) * units[i][level][l.of[row.key[i]]], 0n)));
  const cells = N * BigInt(lattice.attributes.length);
  const divisor = den * ({ "precision": cells, "gcp": cells, "lm": cells, "height": N, "mean-height": N }[name] ?? 1n);
  return {
    units, den,
    whole: (node) => ({ num: node.reduce((s, level, i) => s + totals[i][level], 0n), den: 1n }),      // nothing suppressed
    cost: (node, kept, suppressed) => ({ den: 1n, num: (ofSuppressed ? kept : [...kept, ...suppressed]).reduce((s, c) =>
      s + BigInt(c.n) * node.reduce((t, level, i) => t + units[i][level][c.labels[i]], 0n), 0n)
      + ofGone * BigInt(ofSuppressed ? sum(suppressed.map((c) => c.n)) : 0) }),
    value: ({ num }) => (name === "precision" ? over(divisor - num, divisor) : over(num, divisor)),
  };
}

export function lossOfClasses(name, lattice) {
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

export const lossOf = (name, lattice) => (Object.hasOwn(LABELS, name) ? lossOfLabels : lossOfClasses)(name, lattice);

export function optimum(lattice, proof) {
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
export function released(lattice, node, limit) {         // the classes that stay, those that are suppressed, and whether that may be
  const classes = [...lattice.classes(node).values()], kept = [], gone = [];
  for (const c of classes) (lattice.meets(c) ? kept : gone).push(c);
  const lost = sum(gone.map((c) => c.n));
  return { kept, gone, satisfies: lost <= limit && lost < lattice.N };
}

export function limitOf(value, lattice) {
  need(small(value, "limit") <= lattice.N, "limit is above the number of records");
  return Number(value);
}

export function nodesBelowNothing(lattice, value, limit) {  // of each, more than the limit or all must leave
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

export function limitedMinimal(lattice, proof) {
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

export function limitedOptimum(lattice, proof) {
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

