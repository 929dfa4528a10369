import assert from "node:assert/strict";
import { test } from "node:test";
import { lastOf, valueIn } from "../../src/lib/present.ts";

const point = (day: number, value: number | null) => ({ time: `2026-11-0${day}T00:00:00Z`, value });
const chart = (unit: string, series: { name: string; points: { time: string; value: number | null }[] }[]) =>
  ({ unit, series }) as never;

test("the last value of a line is the last one that is known", () => {
  assert.deepEqual(lastOf([point(1, 0.2), point(2, 0.3), point(3, null)]), point(2, 0.3));
  assert.equal(lastOf([point(1, null)]), undefined);
});

test("of volatility the realized value comes first, and each says what it is", () => {
  const both = valueIn(chart("volatility", [
    { name: "Forecast, annualized", points: [point(3, 0.52)] }, { name: "Realized", points: [point(2, 0.445)] },
  ]));
  assert.deepEqual(both, { value: "45%", at: point(3, 0).time, about: "a year, realized from Nov 2, 2026 on; forecast 52%", sample: false });
  const alone = valueIn(chart("volatility", [{ name: "Forecast, annualized", points: [point(3, 0.52)] }, { name: "Realized", points: [] }]));
  assert.deepEqual(alone, { value: "52%", at: point(3, 0).time, about: "a year, forecast", sample: false });
});

test("a series says its last value in its unit; without one nothing", () => {
  assert.deepEqual(valueIn(chart("USD", [{ name: "Oil", points: [point(1, 71.4), point(2, 72)] }])), { value: "72 USD", at: point(2, 0).time, sample: false });
  assert.deepEqual(valueIn(chart("", [{ name: "Oil", points: [] }])), {});
});
