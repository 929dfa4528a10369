import assert from "node:assert/strict";
import { test } from "node:test";
import { moved } from "../../src/ui/chart.tsx";

test("a window of a chart moves and stretches within what there is", () => {
  assert.deepEqual(moved([200, 400], [0, 1000], 100), [300, 500]);
  assert.deepEqual(moved([200, 400], [0, 1000], -500), [0, 200]);
  assert.deepEqual(moved([200, 400], [0, 1000], 5000), [800, 1000]);
  assert.deepEqual(moved([200, 400], [0, 1000], 0, 2), [100, 500]);
  assert.deepEqual(moved([200, 400], [0, 1000], 0, 100), [0, 1000]);
  assert.deepEqual(moved([200, 400], [0, 1000], 0, 0.01), [270, 330]);
});
