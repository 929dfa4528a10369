import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldsOf, flat, spread, tableOf, wantedOf } from "../../src/lib/csv.ts";

test("a table of targets is read as spreadsheets write it", () => {
  assert.deepEqual(fieldsOf('a,"b, ""c""\nd"\r\n1;2,3'), [["a", 'b, "c"\nd'], ["1;2", "3"]]);
  assert.deepEqual(fieldsOf("a;b\n1,5;2"), [["a", "b"], ["1,5", "2"]]);
  assert.deepEqual(wantedOf("\uFEFFKind,Ref,Label\nmarket,kalshi:A,Mine\nasset,BTC,\n\nelse,kalshi:B,"), [
    { line: 2, kind: "market", ref: "kalshi:A", label: "Mine" },
    { line: 3, kind: "asset", ref: "BTC" },
    { line: 5, kind: "market", ref: "kalshi:B" },
  ]);
  assert.deepEqual(wantedOf("kalshi:A\npolymarket:1\n"), [
    { line: 1, kind: "market", ref: "kalshi:A" },
    { line: 2, kind: "market", ref: "polymarket:1" },
  ]);
  // Lists that the service exports have the column id.
  assert.deepEqual(wantedOf("question,id,yes_price\nWill it?,kalshi:A,0.4").map((one) => one.ref), ["kalshi:A"]);
  assert.deepEqual(wantedOf(""), []);
});

test("a table says what it holds, and nothing in it is run by a spreadsheet", () => {
  const text = tableOf(["question", "price", "stale"], [{ question: '=HYPERLINK("x"), "quoted"', price: -0.5, stale: false }, { question: "two\nlines", price: null }]);
  assert.equal(text, `question,price,stale\r\n"'=HYPERLINK(""x""), ""quoted""",-0.5,false\r\n"two\nlines",,\r\n`);
  assert.deepEqual(fieldsOf(text)[1], [`'=HYPERLINK("x"), "quoted"`, "-0.5", "false"]);
});

test("a record of parts becomes a row with a column for each of them", () => {
  const record = { id: "a", market: { id: "kalshi:A", prices: { Yes: 0.4 } }, tags: ["x", "y"], evidence: [{ kind: "price" }], none: null };
  assert.deepEqual(flat(record), { id: "a", "market.id": "kalshi:A", "market.prices.Yes": 0.4, tags: "x; y", none: null });
  assert.equal(spread([{ a: 1 }, { a: 2, b: { c: "=x" } }]), "a,b.c\r\n1,\r\n2,'=x\r\n");
});
