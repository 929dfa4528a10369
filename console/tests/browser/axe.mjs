// What axe finds in a page, and whether anything sticks out of it.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** A line for each violation; `foreign` is a part that a library draws. */
export async function inspect(page, name, foreign = null) {
  // What moves comes to rest: a color in between is no color of the page.
  await page.evaluate(() => Promise.allSettled(document.getAnimations().filter((one) => one.effect?.getComputedTiming().iterations !== Infinity).map((one) => one.finished)));
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  await page.evaluate(await readFile(AXE, "utf8"));
  const found = await page.evaluate(
    ([rules, except]) => globalThis.axe.run(except ? { exclude: [except] } : document, { runOnly: rules, resultTypes: ["violations"], preload: false }),
    [RULES, foreign],
  );
  return [
    ...(wide > 0 && !foreign ? [`${name} is ${wide} px too wide`] : []),
    ...found.violations.map((one) => `${name}: ${one.id}: ${one.nodes.slice(0, 3).map((node) => node.target.join(" ")).join(" | ")}`),
  ];
}
