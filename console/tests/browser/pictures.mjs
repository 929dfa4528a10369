// Pictures of every page and state, in both themes and at 360 px: npm run pictures [-- --out FOLDER --data FOLDER]
// They are written to console/.build/pictures, which is not kept. --sheets docs/console lays those of a page side by side
// for the handbook.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { STATES, prepare } from "./states.mjs";
import { WORK, option, withBoth } from "./service.mjs";

const out = option("out", join(WORK, "pictures"));
const SIZES = [["light", 1280], ["dark", 1280], ["light", 360], ["dark", 360]];
const widths = option("widths", "1280,360").split(",").map(Number);
const only = option("only")?.split(",");
/** The heads of a page's pictures in a row, as WebP. */
async function sheet(pictures) {
  const [HEIGHT, GAP] = [520, 12];
  const images = await Promise.all(pictures.map(async (text) => {
    const image = new Image();
    image.src = `data:image/png;base64,${text}`;
    await image.decode();
    return image;
  }));
  const places = images.map((image) => ({ image, tall: Math.min(image.height, image.width > 600 ? 900 : 800) }));
  const canvas = document.createElement("canvas");
  const wide = places.map(({ image, tall }) => Math.round((image.width * HEIGHT) / Math.max(tall, image.width > 600 ? 900 : 800)));
  [canvas.width, canvas.height] = [wide.reduce((sum, one) => sum + one + GAP, -GAP), HEIGHT];
  const pen = canvas.getContext("2d");
  pen.imageSmoothingQuality = "high";
  let left = 0;
  places.forEach(({ image, tall }, n) => {
    pen.drawImage(image, 0, 0, image.width, tall, left, 0, wide[n], (wide[n] * tall) / image.width);
    left += wide[n] + GAP;
  });
  return canvas.toDataURL("image/webp", 0.82).split(",")[1];
}

mkdirSync(out, { recursive: true });
await withBoth(async ({ browser, url, state }) => {
  const made = await prepare(browser, url, state);
  for (const [colorScheme, width] of SIZES.filter(([, one]) => widths.includes(one))) {
    const context = await browser.newContext({ colorScheme, viewport: { width, height: width < 600 ? 800 : 900 }, storageState: state });
    context.setDefaultTimeout(60_000);
    const stranger = await browser.newContext({ colorScheme, viewport: { width, height: width < 600 ? 800 : 900 } });
    for (const one of STATES) {
      if (only && !only.includes(one.name)) continue;
      const page = await (one.stranger ? stranger : context).newPage();
      try {
        await one.show(page, url, made);
        await page.waitForTimeout(700);
        if (!one.screen) await page.evaluate(() => {
          scrollTo(0, 0);
          // What sticks to the screen would stand across the middle of a whole page.
          for (const found of document.querySelectorAll(".notice")) found.style.position = "static";
        });
        await page.screenshot({ path: join(out, `${one.name}-${colorScheme}-${width}.png`), fullPage: width >= 600 && !one.screen });
      } catch (error) {
        console.error(`${one.name}, ${colorScheme}, ${width} px: ${String(error).split("\n")[0]}`);
        process.exitCode = 1;
      }
      await page.close();
    }
    await context.close();
    await stranger.close();
  }
  if (option("sheets")) {
    const desk = await (await browser.newContext()).newPage();
    for (const { name } of STATES) {
      if (only && !only.includes(name)) continue;
      const pictures = SIZES.map(([theme, width]) => readFileSync(join(out, `${name}-${theme}-${width}.png`)).toString("base64"));
      writeFileSync(join(option("sheets"), `${name}.webp`), Buffer.from(await desk.evaluate(sheet, pictures), "base64"));
    }
  }
});
console.log(`pictures are in ${out}`);
