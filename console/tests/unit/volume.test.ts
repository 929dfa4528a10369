import assert from "node:assert/strict";
import { test } from "node:test";
import { barAt, paceOf, scaleOf, volumeIn } from "../../src/ui/volume.ts";

const HOUR = 3600;
const bars = [{ from: 0, to: HOUR, volume: 600 }, { from: HOUR, to: 4 * HOUR, volume: 1200 }];

test("a bar over more time is lower: its area is the volume", () => {
  assert.deepEqual(bars.map((bar) => paceOf(bar, HOUR)), [600, 400]);
});

test("a moment belongs to the bar that ends with it or after it", () => {
  assert.equal(barAt(bars, HOUR), bars[0]);
  assert.equal(barAt(bars, HOUR + 1), bars[1]);
  assert.equal(barAt(bars, 0), undefined);
});

test("the scale says the unit of the venue and the time", () => {
  const history = (platform: string) => volumeIn({
    interval_minutes: 60, market: { platform },
    volume: [{ start: "2026-11-01T00:00:00Z", end: "2026-11-01T01:00:00Z", volume: 1250 }],
  } as never);
  assert.equal(scaleOf(history("kalshi")), "up to 1.3k contracts an hour");
  assert.equal(scaleOf(history("polymarket")), "up to $1.3k an hour");
});
