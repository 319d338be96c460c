// The primitives of Zarith that the checkers use, over BigInt. What fits an OCaml int of 32 bits is one; the rest are BigInts.

//Provides: ml_z_int
function ml_z_int(x) { return x >= -2147483648 && x <= 2147483647 ? Number(x) : x; }

//Provides: ml_z_init
function ml_z_init(unit) { return 0; }

//Provides: ml_z_add
//Requires: ml_z_int
function ml_z_add(x, y) { return ml_z_int(BigInt(x) + BigInt(y)); }

//Provides: ml_z_sub
//Requires: ml_z_int
function ml_z_sub(x, y) { return ml_z_int(BigInt(x) - BigInt(y)); }

//Provides: ml_z_compare
function ml_z_compare(x, y) { return x < y ? -1 : x > y ? 1 : 0; }

//Provides: ml_z_to_int
//Requires: caml_raise_constant, caml_named_value
function ml_z_to_int(x) {
  if (typeof x !== "number") caml_raise_constant(caml_named_value("ml_z_overflow"));
  return x;
}

//Provides: ml_z_shift_left
//Requires: ml_z_int
function ml_z_shift_left(x, n) { return ml_z_int(BigInt(x) << BigInt(n)); }

//Provides: ml_z_shift_right
//Requires: ml_z_int
function ml_z_shift_right(x, n) { return ml_z_int(BigInt(x) >> BigInt(n)); }

//Provides: ml_z_extract
//Requires: ml_z_int
function ml_z_extract(x, first, many) { return ml_z_int(BigInt.asUintN(many, BigInt(x) >> BigInt(first))); }

//Provides: ml_z_pow
//Requires: ml_z_int
function ml_z_pow(x, n) {
  var found = BigInt(1), base = BigInt(x);
  for (; n > 0; n >>= 1) { if (n & 1) found = found * base; base = base * base; }
  return ml_z_int(found);
}

//Provides: ml_z_mul
//Requires: ml_z_int
function ml_z_mul(x, y) { return ml_z_int(BigInt(x) * BigInt(y)); }

//Provides: ml_z_mul_overflows
function ml_z_mul_overflows(x, y) { var found = x * y; return found === (found | 0) ? 0 : 1; }

//Provides: ml_z_neg
//Requires: ml_z_int
function ml_z_neg(x) { return ml_z_int(-BigInt(x)); }

//Provides: ml_z_abs
//Requires: ml_z_int
function ml_z_abs(x) { return ml_z_int(x < 0 ? -BigInt(x) : BigInt(x)); }

//Provides: ml_z_succ
//Requires: ml_z_int
function ml_z_succ(x) { return ml_z_int(BigInt(x) + BigInt(1)); }

//Provides: ml_z_pred
//Requires: ml_z_int
function ml_z_pred(x) { return ml_z_int(BigInt(x) - BigInt(1)); }

//Provides: ml_z_sign
function ml_z_sign(x) { return x < 0 ? -1 : x > 0 ? 1 : 0; }

//Provides: ml_z_equal
function ml_z_equal(x, y) { return x === y ? 1 : 0; }

//Provides: ml_z_divisor
//Requires: caml_raise_zero_divide
function ml_z_divisor(x) { if (x === 0) caml_raise_zero_divide(); return BigInt(x); }

//Provides: ml_z_rem
//Requires: ml_z_int, ml_z_divisor
function ml_z_rem(x, y) { var by = ml_z_divisor(y); return ml_z_int(BigInt(x) % by); }

//Provides: ml_z_div
//Requires: ml_z_int, ml_z_divisor
function ml_z_div(x, y) { var by = ml_z_divisor(y); return ml_z_int(BigInt(x) / by); }

//Provides: ml_z_divexact
//Requires: ml_z_div
function ml_z_divexact(x, y) { return ml_z_div(x, y); }

//Provides: ml_z_div_rem
//Requires: ml_z_div, ml_z_rem
function ml_z_div_rem(x, y) { return [0, ml_z_div(x, y), ml_z_rem(x, y)]; }

//Provides: ml_z_fdiv
//Requires: ml_z_int, ml_z_divisor
function ml_z_fdiv(x, y) {
  var by = ml_z_divisor(y), of = BigInt(x), rest = of % by;
  return ml_z_int(of / by - BigInt(rest != 0 && rest < 0 !== by < 0 ? 1 : 0));
}

//Provides: ml_z_cdiv
//Requires: ml_z_int, ml_z_divisor
function ml_z_cdiv(x, y) {
  var by = ml_z_divisor(y), of = BigInt(x), rest = of % by;
  return ml_z_int(of / by + BigInt(rest != 0 && rest < 0 === by < 0 ? 1 : 0));
}

//Provides: ml_z_gcd
//Requires: ml_z_int
function ml_z_gcd(x, y) {
  var a = BigInt(x), b = BigInt(y), rest;
  while (b != 0) { rest = a % b; a = b; b = rest; }
  return ml_z_int(a < 0 ? -a : a);
}

//Provides: ml_z_numbits
function ml_z_numbits(x) {
  var digits = (x < 0 ? -BigInt(x) : BigInt(x)).toString(2);
  return digits === "0" ? 0 : digits.length;
}

//Provides: ml_z_format
//Requires: caml_jsbytes_of_string, caml_string_of_jsbytes, caml_failwith
function ml_z_format(form, x) {
  if (caml_jsbytes_of_string(form) !== "%d") caml_failwith("Z.format");
  return caml_string_of_jsbytes(x.toString());
}

//Provides: ml_z_of_substring_base
//Requires: ml_z_int, caml_jsbytes_of_string, caml_invalid_argument
function ml_z_of_substring_base(base, text, first, many) {
  var digits = caml_jsbytes_of_string(text).substr(first, many);
  if (!/^-?[0-9]+$/.test(digits)) caml_invalid_argument("Z.of_substring_base: invalid digit");
  return ml_z_int(BigInt(digits));
}
