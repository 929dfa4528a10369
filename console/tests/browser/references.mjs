// Pictures of states that hold nothing which changes by itself, kept to compare with: a page that falls
// apart shows, another release of Chromium does not. Made anew by: npm run references
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { STATES } from "./states.mjs";
import { withBoth } from "./service.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
const FOLDER = join(HERE, "references");
const STEADY = ["sign-in", "error", "limited", "results-none", "forecast"];
const SIZES = [["light", 1280], ["dark", 360]];
/** Pictures are compared at a quarter of their size: edges of letters may differ, blocks may not. */
const SCALE = 4;
/** A point is another one when a channel is this far off; so many of them are another picture. */
const FAR = 48;
export const MOST = 0.03;

/** How wide a text stands here: another font is no fault of the page. */
const probe = (page) => page.evaluate(() => {
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = `15px ${getComputedStyle(document.body).fontFamily}`;
  return pen.measureText("Will the Fed cut rates in December 2026?").width;
});

async function draw(page, url, name) {
  await STATES.find((one) => one.name === name).show(page, url, {});
  // What differs from run to run stands still.
  await page.evaluate(() => {
    for (const one of document.querySelectorAll("[role=status]")) one.textContent = "";
  });
  await page.evaluate(() => Promise.all(["15px 'Inter Variable'", "500 26px 'Source Serif 4 Variable'"].map((font) => document.fonts.load(font))).then(() => {}));
  await page.waitForTimeout(300);
  return page.screenshot({ animations: "disabled" });
}

/** Calls `look` with the picture of each state and size as it is now. */
async function each(browser, url, state, look) {
  for (const [colorScheme, width] of SIZES) {
    const options = { colorScheme, viewport: { width, height: 720 } };
    const [owner, stranger] = [await browser.newContext({ ...options, storageState: state }), await browser.newContext(options)];
    for (const name of STEADY) {
      const page = await (STATES.find((one) => one.name === name).stranger ? stranger : owner).newPage();
      const drawn = await draw(page, url, name);
      await look(`${name}-${colorScheme}-${width}`, drawn, page);
      await page.close();
    }
    await owner.close();
    await stranger.close();
  }
}

/** Draws a picture in an empty page at one part in `scale`: its points, and itself as a file. */
const small = (desk, picture, scale) => desk.evaluate(async ([text, by]) => {
  const image = new Image();
  image.src = `data:image/png;base64,${text}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [Math.round(image.width / by), Math.round(image.height / by)];
  const pen = canvas.getContext("2d");
  pen.imageSmoothingQuality = "high";
  pen.drawImage(image, 0, 0, canvas.width, canvas.height);
  return { size: [canvas.width, canvas.height], points: [...pen.getImageData(0, 0, canvas.width, canvas.height).data], file: canvas.toDataURL().split(",")[1] };
}, [picture.toString("base64"), scale]);

/** The share of points that differ. */
export function apart(one, other) {
  if (one.size.join() !== other.size.join()) return 1;
  let different = 0;
  for (let n = 0; n < one.points.length; n += 4) {
    if ([0, 1, 2].some((channel) => Math.abs(one.points[n + channel] - other.points[n + channel]) > FAR)) different++;
  }
  return different / (one.points.length / 4);
}

/** Compares all; a reason to skip, or what differs by more than `MOST`. */
export async function compare(browser, url, state) {
  const { width } = JSON.parse(readFileSync(join(FOLDER, "made.json"), "utf8"));
  const told = [];
  let skipped = null;
  const desk = await browser.newPage();
  await each(browser, url, state, async (name, drawn, page) => {
    const here = await probe(page);
    if (Math.abs(here - width) > 0.01 * width) skipped ??= `the fonts of this machine are others: a text is ${here.toFixed(1)} px wide, not ${width.toFixed(1)}`;
    if (skipped) return;
    const share = apart(await small(desk, drawn, SCALE), await small(desk, readFileSync(join(FOLDER, `${name}.png`)), 1));
    if (process.env.AUGURY_TEST_SAY) console.log(`${name}: ${(100 * share).toFixed(2)}% apart`);
    if (share > MOST) told.push(`${name}: ${(100 * share).toFixed(1)}% of it looks different. If it should: npm run references`);
  });
  await desk.close();
  return { skipped, told };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await withBoth(async ({ browser, url, state }) => {
    mkdirSync(FOLDER, { recursive: true });
    for (const name of readdirSync(FOLDER)) rmSync(join(FOLDER, name));
    const desk = await browser.newPage();
    await each(browser, url, state, async (name, drawn, page) => {
      writeFileSync(join(FOLDER, "made.json"), `${JSON.stringify({ width: await probe(page) })}\n`);
      writeFileSync(join(FOLDER, `${name}.png`), Buffer.from((await small(desk, drawn, SCALE)).file, "base64"));
    });
  });
}
