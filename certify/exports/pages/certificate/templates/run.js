// The network and the formulas in doubles. Expressions are postfix programs; predicates are tables of their truths.
const rational = text => { const [above, below] = text.split("/"); return Number(above) / Number(below ?? 1); };
const exponentOfTwo = x => { let k = Math.floor(Math.log2(x)) - 1; while (2 ** (k + 1) <= x) { k += 1; } return k; };
const UNARY = { "u-": x => -x, ln: Math.log, sqrt: Math.sqrt, log2floor: exponentOfTwo, log2ceil: x => -exponentOfTwo(1 / x) };
const BINARY = { "+": (x, y) => x + y, "-": (x, y) => x - y, "*": (x, y) => x * y, "/": (x, y) => x / y, "^": (x, y) => x ** y };
const evaluate = (program, i, n) => {
  const stack = [];
  for (const item of program) {
    if (typeof item === "number") { stack.push(item); } else if (item === "i" || item === "n") { stack.push(item === "i" ? i : n); }
    else if (Object.hasOwn(UNARY, item)) { stack.push(UNARY[item](stack.pop())); }
    else { const y = stack.pop(), x = stack.pop(); stack.push(BINARY[item](x, y)); }
  }
  return stack[0];
};

const RELATIONS = { "<=": (x, y) => x <= y, "<": (x, y) => x < y, ">=": (x, y) => x >= y, ">": (x, y) => x > y, "==": (x, y) => x === y, "!=": (x, y) => x !== y };
const known = (table, k, n) => (typeof table === "string" ? table : table[n - 1])[k] === "1";
const carried = (left, right, order) => {
  const found = [];
  let held = false;
  for (const k of order) { held = left[k] && (right[k] || held); found[k] = held; }
  return found;
};
const placesOf = word => word.map((_, k) => k);
const countOf = (counted, side) => {
  const found = [], places = placesOf(counted);
  let total = 0;
  for (const k of side === "left" ? places : places.reverse()) { total += counted[k]; found[k] = total; }
  return found;
};
const truthsOf = word => {  // the truth of every node at every position
  const n = word.length, places = placesOf(word), backwards = placesOf(word).reverse(), truths = [];
  const count = (side, node) => countOf(truths[node], side);
  const sum = ([constant, ...terms]) => terms.reduce((total, [factor, side, node]) => {
    const numbers = count(side, node);
    return total.map((x, k) => x + factor * numbers[k]);
  }, places.map(() => constant));
  const rules = {
    constant: value => places.map(() => value),
    symbol: symbol => places.map(k => word[k] === symbol),
    position: table => places.map(k => known(table, k + 1, n)),
    count: (table, side, node) => count(side, node).map(x => known(table, x, n)),
    total: (least, table, term) => sum(term).map(x => known(table, x - least, n)),
    compare: (relation, left, right) => { const x = sum(left), y = sum(right); return places.map(k => RELATIONS[relation](x[k], y[k])); },
    not: a => truths[a].map(x => !x),
    and: (a, b) => places.map(k => truths[a][k] && truths[b][k]),
    or: (a, b) => places.map(k => truths[a][k] || truths[b][k]),
    implies: (a, b) => places.map(k => !truths[a][k] || truths[b][k]),
    iff: (a, b) => places.map(k => truths[a][k] === truths[b][k]),
    prev: a => places.map(k => k > 0 && truths[a][k - 1]),
    next: a => places.map(k => k < n - 1 && truths[a][k + 1]),
    since: (a, b) => carried(truths[a], truths[b], places),
    until: (a, b) => carried(truths[a], truths[b], backwards),
  };
  for (const [kind, ...parts] of data.truths.nodes) { truths.push(rules[kind](...parts)); }
  return truths;
};

const numeric = row => row.map((x, k) => k % 2 ? rational(x) : x);
const layers = data.layers.map(layer => ({
  heads: layer.heads.map(head => ({ ...head, queries: head.queries.map(numeric), keys: head.keys.map(numeric), values: head.values.map(([direction, row]) => [direction, numeric(row)]) })),
  units: layer.units.map(([reads, bias, writes]) => [numeric(reads), rational(bias), numeric(writes)]), bias: numeric(layer.bias),
}));
const tokens = data.tokens.map(numeric);
const dot = (row, vector) => { let total = 0; for (let k = 0; k < row.length; k += 2) { total += row[k + 1] * vector[row[k]]; } return total; };
const add = (row, factor, vector) => { for (let k = 0; k < row.length; k += 2) { vector[row[k]] += row[k + 1] * factor; } };
const positionValue = (value, i, n, truths) => {
  if (value.postfix) { return evaluate(value.postfix, i, n); }
  if (!value.shift) { return truths[value.holds][i - 1] ? 1 : 0; }
  return (i > 1 ? truths[value.holds][i - 2] : positional(value.holds, 0, n)) ? 1 : 0;
};
const positional = (node, k, n) => {  // at position 0, which is a count but not a position
  const [kind, ...parts] = data.truths.nodes[node], at = part => positional(part, k, n);
  const rules = {
    constant: value => value, position: table => known(table, k, n), not: a => !at(a), and: (a, b) => at(a) && at(b), or: (a, b) => at(a) || at(b),
    implies: (a, b) => !at(a) || at(b), iff: (a, b) => at(a) === at(b), compare: (relation, [x], [y]) => RELATIONS[relation](x, y),
  };
  return rules[kind](...parts);
};
const TIES = 1e-9;
const weigh = (scores, weighting) => {
  const top = Math.max(...scores);
  let raised = scores.map(x => weighting === "softmax" ? Math.exp(x - top) : Number(x > top - TIES));
  if (weighting === "leftmost-hardmax" || weighting === "rightmost-hardmax") {
    const winner = weighting === "leftmost-hardmax" ? raised.indexOf(1) : raised.lastIndexOf(1);
    raised = raised.map((_, k) => Number(k === winner));
  }
  const total = raised.reduce((x, y) => x + y, 0);
  return raised.map(x => x / total);
};
const hides = (mask, i, j) => (mask === "future" && j > i) || (mask === "past" && j < i);
// The final residual stream, and the weights of every head; softmax at the given temperature, if any, replaces all weightings.
const forward = (word, truths, softened = null) => {
  const n = word.length, attention = {};
  let stream = word.map((symbol, k) => {
    const vector = new Float64Array(data.directions.length);
    add(tokens[data.alphabet.indexOf(symbol)], 1, vector);
    for (const [direction, value] of data.positions) { vector[direction] += positionValue(value, k + 1, n, truths); }
    return vector;
  });
  layers.forEach((layer, l) => {
    const attended = stream.map(vector => vector.slice());
    layer.heads.forEach((head, h) => {
      const keys = stream.map(vector => head.keys.map(row => dot(row, vector)));
      const values = head.values.map(([, row]) => stream.map(vector => dot(row, vector)));
      attention[`${l + 1}.${h + 1}`] = stream.map((vector, i) => {
        const query = head.queries.map(row => dot(row, vector));
        const weighting = softened ? "softmax" : head.weighting;
        const temperature = weighting === "softmax" ? evaluate(softened ?? head.temperature.postfix, i + 1, n) : 1;
        const scores = keys.map((key, j) => hides(head.mask, i, j) ? -Infinity : query.reduce((total, x, r) => total + x * key[r], 0) / temperature);
        const weights = weigh(scores, weighting);
        head.values.forEach(([direction], v) => { attended[i][direction] += weights.reduce((total, w, j) => total + w * values[v][j], 0); });
        return weights;
      });
    });
    stream = attended.map(vector => {
      const after = vector.slice();
      add(layer.bias, 1, after);
      for (const [reads, bias, writes] of layer.units) { const x = dot(reads, vector) + bias; if (x > 0) { add(writes, x, after); } }
      return after;
    });
  });
  return { stream, attention };
};
