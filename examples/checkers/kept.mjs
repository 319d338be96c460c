// Certificates of what is kept of given classes, and that nothing satisfies.
import { sum } from "./conditions.mjs";
import { fields, list, must, need, small } from "./forms.mjs";

export function infeasible(lattice, proof) {
  fields(proof, "proof", "values");
  const counts = lattice.values.map((_, v) => sum(lattice.rows.map((row) => row.counts[v])));
  must(!lattice.meets({ counts, n: lattice.N }), "all records together satisfy");
  return "nothing satisfies";
}

const least = (...items) => items.reduce((a, b) => (b < a ? b : a)), most = (...items) => items.reduce((a, b) => (b > a ? b : a));
const floor = (a, b) => (a >= 0n ? a / b : -((-a + b - 1n) / b));
const total = (items) => items.reduce((a, b) => a + b, 0n);

export const kept = (hiding, states) => (lattice, proof) => {
  const [, levels, entries, enough, fewest] = fields(proof, "proof", "values", "node", "classes", ...(states ? ["enough", "least"] : []));
  const node = lattice.node(levels, "node"), asked = lattice.conditions.filter((c) => !hiding || c.kind !== "records");
  const classes = [...lattice.classes(node).values()], holds = (counts, n) => asked.every((c) => c.meets(counts, n));
  const small_ = hiding && classes.some((c) => lattice.conditions.some((k) => k.kind === "records" && !k.meets(c.counts, c.n)));
  if (small_) must(!states && !list(entries, "classes").length, "a class breaks a condition on records");
  if (small_) return "nothing can be released: a class has too few records";
  const violating = new Map();
  let stay = 0n, can = 0n;
  for (const c of classes) {
    if (holds(c.counts, c.n)) [stay, can] = [stay + BigInt(c.n), can + BigInt(c.n)];
    else violating.set(c.counts.join(), (violating.get(c.counts.join()) ?? 0n) + 1n);
  }
  const Class = classOf(lattice, asked);
  const seen = new Set();
  for (const entry of list(entries, "classes")) {
    const [given, keep, bound, above, sizes] = fields(entry, "an entry of classes", "counts", "kept", "bound", "above", "sizes");
    const counts = list(given, "counts").map((c) => small(c, "a count")), x = list(keep, "kept").map((c) => small(c, "a number that is kept"));
    need(counts.length === lattice.values.length && x.length === counts.length, "counts and kept have a number for each value");
    const many = violating.get(counts.join()), B = small(bound, "bound"), X = sum(x);
    must(many && !seen.has(counts.join()), `no class violates with counts [${counts}], or it is there twice`);
    seen.add(counts.join());
    must(x.every((c, v) => c <= counts[v]) && X <= B, "more is kept than there is, or than the bound");
    must(X === 0 || holds(x, X), `what is kept, [${x}], breaks a condition`);
    Class(counts).require(B, above, sizes);
    stay += many * BigInt(X);
    can += many * BigInt(B);
  }
  must(seen.size === violating.size, "a class that violates has no entry");
  const N = BigInt(lattice.N);
  if (!states) return must(can === 0n, "something may be kept") ?? "nothing can be released";
  must(stay > 0n && small(enough, "enough") === Number(N - stay) && small(fewest, "least") === Number(N - can), `${N - stay} records are enough, and ${N - can} the least`);
  return `${enough} records are enough, and no fewer than ${fewest} are`;
};

function classOf(lattice, conditions) {
  const Q = lattice.values.map((_, v) => BigInt(sum(lattice.rows.map((row) => row.counts[v])))), N = BigInt(lattice.N), m = Q.length;
  const of = (kind) => conditions.filter((c) => c.kind === kind), tails = of("tail").filter((c) => c.l > 1);
  const shares = Q.map((q, v) => [[1n, 1n], ...of("share").filter((c) => c.asks(v)).map((c) => [c.s.num, c.s.den]),
    ...of("gain").map((c) => [(c.b.num + c.b.den) * q, c.b.den * N])].reduce((a, b) => (b[0] * a[1] < a[0] * b[1] ? b : a)));
  const distances = of("distance").map((c) => {
    const sets = new Map();                       // equal sets are one; not the empty one, that of all values, or of weight 0
    c.sets.forEach(([low, high], i) => {
      const members = c.order.slice(low, high).sort((a, b) => a - b);
      if (!members.length || members.length === m) return;
      const known = sets.get(members.join()) ?? sets.set(members.join(), { members, w: 0n }).get(members.join());
      known.w += c.weights[i];
    });
    const ordered = [...sets.values()].filter(({ w }) => w > 0n).sort((a, b) => a.members.length - b.members.length || a.members[0] - b.members[0]);
    return { sets: ordered, D: c.den, a: c.t.num, b: c.t.den };
  });
  const pricesOf = (given, place) => {
    const i = small(place, "distance");
    need(i < distances.length, "distance is the place of no condition");
    const prices = list(given, "prices"), { sets } = distances[i];
    need(prices.length === sets.length && prices.every((p) => typeof p === "bigint"), "prices has a whole number for each set");
    need(prices.every((p, k) => p <= N * sets[k].w && -p <= N * sets[k].w), "a price is too large");
    const u = Array(m).fill(0n);
    sets.forEach(({ members }, k) => members.forEach((v) => { u[v] += prices[k]; }));
    return { ...distances[i], prices, u };
  };

  return (counts) => {
    const n = BigInt(sum(counts)), have = counts.map(BigInt);
    const within = (Y) => have.map((c, v) => least(c, floor(shares[v][0] * Y, shares[v][1])));

    function noneAbove(Y, { u, D, a, b }) {       // no real x of size Y within the shares is within the distance
      const mean = total(u.map((p, j) => p * Q[j])), d = u.map((p) => b * (N * p - mean) - a * D * N * N);
      const den = shares.reduce((p, s) => p * s[1], 1n);      // numbers times den are whole
      let left = Y * den, cost = 0n;
      for (const v of d.map((_, v) => v).sort((p, q) => (d[p] < d[q] ? -1 : d[p] > d[q] ? 1 : 0))) {
        const take = least(left, most(0n, least(have[v] * den, (shares[v][0] * Y * den) / shares[v][1])));
        left -= take;
        cost += take * d[v];
      }
      return left > 0n || cost > 0n;
    }

    function byCounting(Y) {                      // the greatest size that is not excluded so, Y itself if it is not
      const h = within(Y);
      if (of("values").some((c) => h.filter((x) => x > 0n).length < c.least)) return Y - 1n;
      let reach = total(h);
      if (tails.length) {
        const holds = (C) => tails.every(({ l, c }) => {
          const r = h.map((x) => least(x, C)).sort((p, q) => (p < q ? 1 : p > q ? -1 : 0));
          return C * c.den < c.num * total(r.slice(l - 1));
        });
        let low = 0n, high = 1n;
        while (high <= 2n ** 60n && holds(high)) [low, high] = [high, 2n * high];
        while (high - low > 1n) {
          const middle = (low + high) / 2n;
          if (holds(middle)) low = middle; else high = middle;
        }
        reach = total(h.map((x) => least(x, low)));
      }
      return least(reach, Y);
    }

    function leafHolds(Y, low, high, leaf) {
      if (low.some((l, v) => l > high[v]) || total(low) > Y || total(high) < Y) return true;
      const clip = (C) => low.map((l, v) => least(most(C, l), high[v]));
      let C = 0n, beyond = most(...high) + 1n;
      while (beyond - C > 1n) {
        const middle = (C + beyond) / 2n;
        if (total(clip(middle)) <= Y) C = middle; else beyond = middle;
      }
      const even = clip(C);
      for (let v = 0, left = Y - total(even); v < m && left > 0n; v++) if (low[v] <= C && C < high[v]) [even[v], left] = [even[v] + 1n, left - 1n];
      const asNumbers = even.map(Number);
      if ([...tails, ...of("values")].some((c) => !c.meets(asNumbers, Number(Y)))) return true;
      const zero = ({ sets, ...rest }) => ({ sets, ...rest, prices: sets.map(() => 0n), u: Array(m).fill(0n) });
      return (leaf ? [leaf] : distances.map(zero)).some(({ sets, prices, u, D, a, b }) => {
        let left = Y - total(low), side = total(low.map((l, v) => l * u[v]));
        for (const v of u.map((_, v) => v).sort((p, q) => (u[p] < u[q] ? -1 : u[p] > u[q] ? 1 : 0))) {
          const take = least(left, high[v] - low[v]);
          [left, side] = [left - take, side + take * u[v]];
        }
        sets.forEach(({ members, w }, k) => {
          const l = total(members.map((v) => low[v])), h = total(members.map((v) => high[v])), share = total(members.map((v) => Q[v]));
          const near = floor(Y * share, N), ends = [l, h, near, near + 1n].filter((z) => l <= z && z <= h);
          side += least(...ends.map((z) => w * most(N * z - Y * share, Y * share - N * z) - prices[k] * z));
        });
        return b * side > a * D * N * Y;
      });
    }

    function treeHolds(Y, tree) {
      let at = 0;
      const walk = (low, high, depth) => {
        need(depth < 5000, "a tree is too deep");
        must(at < tree.length, "a tree ends early");
        const entry = tree[at++];
        if (entry instanceof Map && entry.has("value")) {
          const [value, upTo] = fields(entry, "a split", "value", "most"), v = small(value, "value"), k = BigInt(small(upTo, "most"));
          need(v < m, "value is the place of no value");
          const put = (items, x) => items.map((item, i) => (i === v ? x : item));
          return walk(low, put(high, least(high[v], k)), depth + 1) & walk(put(low, most(low[v], k + 1n)), high, depth + 1);
        }
        return leafHolds(Y, low, high, entry === null ? null : pricesOf(...fields(entry, "a leaf", "distance", "prices").reverse())) ? 1 : 0;
      };
      const all = walk(have.map(() => 0n), within(Y), 0);
      must(at === tree.length, "a tree goes on");
      return all === 1;
    }

    return { require(B, above, sizes) {
      let top = n;
      if (above !== null) {
        const [size, place, prices] = fields(above, "above", "size", "distance", "prices");
        top = BigInt(small(size, "size", 1n));
        must(noneAbove(top, pricesOf(prices, place)), `sizes from ${top} on are not excluded`);
      }
      const trees = new Map();
      for (const each of list(sizes, "sizes")) {
        const [size, tree] = fields(each, "an entry of sizes", "size", "tree"), Y = BigInt(small(size, "size", 1n));
        must(!trees.has(Y), "a size is there twice");
        trees.set(Y, list(tree, "tree"));
      }
      const few = most(0n, ...of("records").map((c) => BigInt(c.least)));
      for (let Y = least(top, n) - 1n; Y > BigInt(B); ) {
        if (Y < few) break;
        const down = byCounting(Y);
        if (down < Y) Y = down;
        else must(treeHolds(Y, trees.get(Y) ?? [null]), `size ${Y} is not excluded`), (Y -= 1n);
      }
    } };
  };
}
