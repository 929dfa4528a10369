import assert from "node:assert/strict";
import { test } from "node:test";
import * as format from "../../src/lib/format.ts";

test("a probability is never rounded to certainty", () => {
  assert.equal(format.percent(0.44), "44%");
  assert.equal(format.percent(0.004), "0.4%");
  assert.equal(format.percent(0.0004), "<0.1%");
  assert.equal(format.percent(0.9996), ">99.9%");
  assert.equal(format.percent(0.996), "99.6%");
  assert.equal(format.percent(1), "100%");
  assert.equal(format.percent(null), "–");
});

test("ages are told in their largest unit", () => {
  const now = Date.parse("2026-11-22T12:00:00Z");
  const before = (ms: number) => new Date(now - ms).toISOString();
  assert.equal(format.ago(before(20_000), now), "just now");
  assert.equal(format.ago(before(12 * 60_000), now), "12 min ago");
  assert.equal(format.ago(before(25 * 3_600_000), now), "1 day ago");
  assert.equal(format.ago(before(265 * format.DAY), now), "265 days ago");
  assert.equal(format.ago(null, now), "time unknown");
});

test("only http and https may be followed", () => {
  assert.equal(format.safeUrl("https://kalshi.com/markets/x"), "https://kalshi.com/markets/x");
  for (const url of ["javascript:alert(1)", "data:text/html,x", "//evil.example", "ftp://x", "", null]) {
    assert.equal(format.safeUrl(url), null, String(url));
  }
});

test("what an event's questions share is said once", () => {
  assert.deepEqual(format.distinct(["Inflation? — Above 2%", "Inflation? — Above 3%"]), ["Above 2%", "Above 3%"]);
  assert.deepEqual(format.distinct(["Will Bitcoin reach $1 by May?", "Will Bitcoin reach $2 by May?"]), ["$1", "$2"]);
  assert.deepEqual(format.distinct(["Same?", "Same?"]), ["Same?", "Same?"]);
});

test("the leading outcome is Yes where there is one", () => {
  assert.deepEqual(format.leading({ No: 0.6, Yes: 0.4 }), { outcome: "Yes", price: 0.4 });
  assert.deepEqual(format.leading({ Lakers: 0.7, Celtics: 0.3 }, ["Lakers", "Celtics"]), { outcome: "Lakers", price: 0.7 });
  assert.equal(format.leading(null), null);
});

test("moments show in UTC on hover", () => {
  assert.equal(format.utc("2026-11-22T05:06:17.123Z"), "2026-11-22 05:06:17 UTC");
});

test("prices are compared only where they are near in time", () => {
  assert.ok(format.together("2026-04-18T12:00:00Z", "2026-04-17T12:00:00Z"));
  assert.ok(!format.together("2026-04-18T12:00:00Z", "2026-04-10T12:00:00Z"));
  assert.ok(!format.together(null, "2026-04-10T12:00:00Z"));
});

test("a replay tells ages from its own moment", () => {
  assert.equal(format.before("2026-04-17T18:00:00Z", "2026-04-18T12:00:00Z"), "18 h before");
  assert.equal(format.before("2026-04-18T12:00:00Z", "2026-04-18T12:00:10Z"), "at that moment");
});

test("a length of time is told in its largest unit", () => {
  assert.deepEqual([600, 5400, 86_400, 40 * 86_400].map(format.span), ["10 min", "90 min", "24 h", "40 days"]);
});
