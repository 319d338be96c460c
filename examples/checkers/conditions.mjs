// Conditions on a class.
import { different, fields, fraction, gcd, list, need, refuted, small, some, texts, whole } from "./forms.mjs";

// ---------------------------------------------------------------- conditions on a class
export function setsOf(ground, values) {               // the order of the values, [low, high) of each set, weights over den
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
    different(down.map((path) => path.at(-1)), "paths");
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
  const positive = (value, what) => {
    const found = fraction(value, what);
    need(found.num > 0n && found.den === 1n, `${what} is not a whole number above 0`);
    return found.num;
  };
  need(name === "laminar", `unknown ground distance ${name}`);
  const [, places, low, high, weights, den] = fields(ground, "ground", "name", "order", "low", "high", "weights", "denominator");
  const at = (items, what) => list(items, what).map((v) => small(v, what));
  const made = { order: different(at(places, "order"), "order"), weights: list(weights, "weights").map((w) => positive(w, "a weight")), den: positive(den, "denominator") };
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

const notBelow = (number) => (need(number.num >= 0n, "t is below 0"), number);
export const sum = (counts) => counts.reduce((a, b) => a + b, 0);

export function conditionOf(object, values, Q) {         // meets(counts, n), and most(counts, n): no part that meets it is larger
  const N = BigInt(sum(Q)), kind = object instanceof Map ? object.get("condition") : undefined;
  const get = (...keys) => fields(object, "a condition", "condition", ...keys).slice(1);
  const all = { kind, counting: false, least: 0, most: (_counts, n) => n };
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
    return orNothing({ kind, counting: true, least, meets: (_counts, n) => n >= least });
  }
  if (kind === "values") {
    const least = small(get("least")[0], "least", 1n);
    return orNothing({ kind, counting: true, least, meets: (counts) => counts.filter((c) => c > 0).length >= least });
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
    need(c.num > 0n, "c is not above 0");
    return even({ ...all, l, c, meets: (counts) => {
      const r = counts.filter((x) => x > 0).sort((a, b) => b - a);
      return l === 1 || BigInt(r[0] ?? 0) * c.den < c.num * BigInt(sum(r.slice(l - 1)));
    } });
  }
  if (kind === "share") {
    const [most, named] = get("most", "values"), s = fraction(most, "most");
    need(s.num > 0n, "a share is not above 0");
    const asked = named === null ? null : new Set(different(texts(some(named, "values of a share"), "values of a share"), "values of a share"));
    const condition = { ...all, s, asks: (v) => asked === null || asked.has(values[v]), meets: (counts, n) => counts.every((c, v) =>
      (asked !== null && !asked.has(values[v])) || BigInt(c) * s.den <= s.num * BigInt(n)) };
    return asked === null ? even(condition) : condition;
  }
  if (kind === "gain") {
    const b = fraction(get("most")[0], "most");
    need(b.num >= 0n, "a gain is below 0");
    return { ...all, b, meets: (counts, n) => counts.every((c, v) => BigInt(c) * N * b.den <= (b.num + b.den) * BigInt(Q[v]) * BigInt(n)) };
  }
  need(kind === "distance", `unknown condition ${kind}`);
  const [most, ground] = get("t", "ground"), t = notBelow(fraction(most, "t")), { order, sets, weights, den } = setsOf(ground, values);
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
  return { ...all, t, order, sets, weights, den, meets, most: (counts, n) => {
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


export function conditionsOf(model, values, counts) {
  const at = new Map(values.map((v, i) => [v, i])), Q = Array(values.length).fill(0);
  for (const [combination, count] of counts) Q[at.get(combination.at(-1)) ?? refuted(`values lack ${combination.at(-1)}`)] += count;
  return some(model, "model").map((condition) => conditionOf(condition, values, Q));
}
