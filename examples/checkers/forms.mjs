// Errors, JSON with whole numbers of any size, fields and fractions.

export class Unreadable extends Error {}
export class Refuted extends Error {}
export const unreadable = (text) => { throw new Unreadable(text); };
export const need = (true_, text) => { if (!true_) throw new Unreadable(text); };
export const refuted = (text) => { throw new Refuted(text); };
export const must = (true_, text) => { if (!true_) throw new Refuted(text); };

// ---------------------------------------------------------------- JSON, with whole numbers of any size
export const MOST_BYTES = 32 * 2 ** 20;

export function parse(text) {
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

export function byCodePoint(a, b) {                     // characters beyond 2¹⁶ are two in a text, and stand last
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  const place = (text) => { const unit = text.charCodeAt(at); return unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit; };
  return at === a.length || at === b.length ? a.length - b.length : place(a) - place(b);
}
export const quoted = (text) => JSON.stringify(text)
  .replace(/[\u007f-\uffff]/g, (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));

export function canonical(value) {
  if (typeof value === "string") return quoted(value);
  if (Array.isArray(value)) return "[" + value.map(canonical).join(",") + "]";
  if (value instanceof Map)
    return "{" + [...value.keys()].sort(byCodePoint).map((k) => quoted(k) + ":" + canonical(value.get(k))).join(",") + "}";
  return String(value);
}

// ---------------------------------------------------------------- fields
export function fields(object, name, ...keys) {
  need(object instanceof Map, `${name} is not an object`);
  need(object.size === keys.length && keys.every((k) => object.has(k)), `${name} has other keys than ${keys}`);
  return keys.map((k) => object.get(k));
}
export const text = (value, name) => (typeof value === "string" ? value : unreadable(`${name} is not a text`));
export const list = (value, name) => (Array.isArray(value) ? value : unreadable(`${name} is not a list`));
export const some = (value, name) => (need(list(value, name).length, `${name} is empty`), value);
export const texts = (value, name) => list(value, name).map((item) => text(item, `an item of ${name}`));
export function whole(value, name, least = 0n) {
  need(typeof value === "bigint" && value >= least, `${name} is not a whole number of at least ${least}`);
  return value;
}
export const small = (value, name, least = 0n) => {
  need(whole(value, name, least) <= 2n ** 53n, `${name} is too large`);
  return Number(value);
};
export const different = (items, name, fails = need) => (fails(new Set(items).size === items.length, `${name} names something twice`), items);

export const gcd = (a, b) => { while (b) [a, b] = [b, a % b]; return a < 0n ? -a : a; };
export const over = (num, den = 1n) => { const g = gcd(num, den) || 1n; return { num: num / g, den: den / g }; };
export const show = (a) => (a.den === 1n ? `${a.num}` : `${a.num}/${a.den}`);
export function fraction(value, name) {
  const found = /^(-?(?:0|[1-9][0-9]*))(?:\/([1-9][0-9]*))?$/.exec(text(value, name));
  need(found && value.length < 10000, `${name} is not a fraction`);
  const made = over(BigInt(found[1]), BigInt(found[2] ?? 1));
  need(show(made) === value, `${name} is not in lowest terms`);
  return made;
}

