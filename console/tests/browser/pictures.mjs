// Pictures of every page and state, in both themes and at 360 px: npm run pictures [-- --out FOLDER --data FOLDER]
// They are written to console/.build/pictures, which is not kept; docs/console/ holds the few that the handbook shows.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { STATES, prepare } from "./states.mjs";
import { WORK, option, withBoth } from "./service.mjs";

const out = option("out", join(WORK, "pictures"));
const only = option("only")?.split(",");
mkdirSync(out, { recursive: true });
await withBoth(async ({ browser, url, state }) => {
  const made = await prepare(browser, url, state);
  for (const [colorScheme, width] of [["light", 1280], ["dark", 1280], ["light", 360], ["dark", 360]]) {
    const context = await browser.newContext({ colorScheme, viewport: { width, height: width < 600 ? 800 : 900 }, storageState: state });
    context.setDefaultTimeout(60_000);
    const stranger = await browser.newContext({ colorScheme, viewport: { width, height: width < 600 ? 800 : 900 } });
    for (const one of STATES) {
      if (only && !only.includes(one.name)) continue;
      const page = await (one.stranger ? stranger : context).newPage();
      try {
        await one.show(page, url, made);
        await page.waitForTimeout(700);
        if (!one.screen) await page.evaluate(() => scrollTo(0, 0));
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
});
console.log(`pictures are in ${out}`);
