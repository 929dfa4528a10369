import assert from "node:assert/strict";
import { test } from "node:test";
import { counted, folded } from "../../src/pages/search.tsx";

const row = (id: string, more = {}) => ({ id, platform: id.split(":")[0]!, question: id, ...more });

test("categories are counted, the most frequent first", () => {
  const rows = [row("a:1", { category: "World" }), row("a:2", { category: "Economics" }), row("a:3", { category: "Economics" }), row("a:4", { category: null })];
  assert.deepEqual(counted(rows), [["Economics", 2], ["World", 1]]);
});

test("twins of two venues are one row, whichever names the other", () => {
  const [first, second] = [row("a:1", { twin_ids: ["b:1"] }), row("b:1", { twin_ids: ["a:1"] })];
  assert.deepEqual(folded([first, second]).map(({ row, twins }) => [row.id, twins.map((one) => one.id)]), [["a:1", ["b:1"]]]);
});
