import assert from "node:assert/strict";
import { test } from "node:test";
import { inWords } from "../../src/ui/rule.tsx";

const rule = { op: "gt", for: null, window: null, cooldown: null } as never as Parameters<typeof inWords>[0];

test("a rule is said with the unit of its metric", () => {
  assert.equal(inWords({ ...rule, metric: "probability", value: 0.6 }), "When the price is above 60%");
  assert.equal(inWords({ ...rule, metric: "probability_change", value: 0.05, window: "1d" }), "When the change of the price over 1d is above 5 points");
  assert.equal(inWords({ ...rule, metric: "rvol_forecast", value: 1.2 }), "When the volatility forecast is above 120%");
  assert.equal(inWords({ ...rule, metric: "hours_to_close", value: 24, for: "1h" }), "When the time to the close in hours is above 24 for 1h");
});
