import assert from "node:assert/strict";
import { test } from "node:test";
import { asCurl, binsOf, evidenceOf, forecastOf, gradeOf, shapeOf } from "../../src/lib/forecast.ts";

const streamed = { market_id: "kalshi:X", question: "Q?", role: "direct", relation: "asks the same", flipped: true, outcome: "Yes", price: 0.3, price_as_of: "2026-11-22T05:06:17Z", weight: 1 };

test("evidence of the stream becomes a row with venue, side and price", () => {
  const one = evidenceOf(streamed);
  assert.equal(one.market.platform, "kalshi");
  assert.equal(one.side, "opposite");
  assert.deepEqual(one.market.current_prices, { Yes: 0.3 });
});

test("the grade is the best role that counts", () => {
  const row = (role: string, weight: number | null) => ({ ...evidenceOf(streamed), role, weight });
  assert.equal(gradeOf(0.3, [row("direct", 0), row("bound", 0.5)]), "bounded");
  assert.equal(gradeOf(0.3, [row("direct", 0), row("bound", null)]), "bounded");
  assert.equal(gradeOf(0.3, [row("direct", 1)]), "asked");
  assert.equal(gradeOf(0.3, [row("proxy", 1)]), "hinted");
  assert.equal(gradeOf(null, [row("direct", 1)]), "none");
});

test("a full record outweighs what was streamed", () => {
  const made = forecastOf({ question: "Q?", probability: 0.3, grade: "bounded", evidence: [], warnings: ["old"], rejected: [{}] }, [evidenceOf(streamed)]);
  assert.equal(made.grade, "bounded");
  assert.equal(made.evidence.length, 0);
  assert.deepEqual(made.warnings, ["old"]);
});

test("distributions of both forms are drawn by what their ends are", () => {
  assert.deepEqual(binsOf({ yes: 0.2 }), [{ label: "yes", lower: null, upper: null, probability: 0.2 }]);
  assert.equal(binsOf(null), null);
  const bin = (lower: unknown, upper: unknown) => ({ label: "x", lower, upper, probability: 0.1 }) as never;
  assert.equal(shapeOf([bin(1, 2)]), "ladder");
  assert.equal(shapeOf([bin("2026-01-01", null)]), "curve");
  assert.equal(shapeOf([bin(null, null)]), "bars");
  const named = (label: string) => ({ ...bin(null, null), label });
  assert.equal(shapeOf([named("$98,000 to $99,999"), named("$97,999 or below")]), "ladder");
  assert.equal(shapeOf([named("76ers"), named("Celtics")]), "bars");
});

test("a question with quotes stays one word of the shell", () => {
  assert.match(asCurl("http://h", "Will 'it' rain?", null), /'\\''it'\\''/);
});
