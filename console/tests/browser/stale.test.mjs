// The console over an import whose prices are weeks old: each page says so.
// Needs AUGURY_TEST_URL and AUGURY_TEST_LINK (tests/console/test_browser.py gives both).
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { inspect } from "./axe.mjs";
import { launch, settle, signedIn } from "./service.mjs";

const url = process.env.AUGURY_TEST_URL;
const ID = "kalshi:STALE-RECESSION";
const QUESTION = "Will the US enter a recession by the end of 2099?";

/** What each page has to say of old prices. */
const PAGES = [
  ["/", async (page) => page.locator(".row .chip.stale").first().waitFor()],
  ["/?q=recession", async (page) => page.locator("#results .row .chip.stale").first().waitFor()],
  [`/market/${ID}`, async (page) => {
    await page.getByText(/It is too old to rely on/).waitFor();
    await page.locator(".chart canvas").waitFor();
  }],
  [`/embed/market/${ID}`, async (page) => {
    await page.locator(".chip.stale").waitFor();
    await page.locator(".chart canvas").waitFor();
  }],
  [`/forecast?q=${encodeURIComponent(QUESTION)}`, async (page) => page.locator("section[aria-label=Answer]").getByRole("link", { name: "replay that moment" }).waitFor()],
  ["/system", async (page) => page.locator("section[aria-label=Health] .chip.warning").waitFor()],
];

let browser, state;
before(async () => {
  browser = await launch();
  state = await signedIn(browser, { url, link: process.env.AUGURY_TEST_LINK });
});
after(() => browser.close());

for (const [colorScheme, width] of [["light", 1280], ["dark", 360]]) {
  test(`every page says that its prices are old: ${colorScheme}, ${width} px`, async () => {
    const context = await browser.newContext({ storageState: state, colorScheme, viewport: { width, height: 800 } });
    context.setDefaultTimeout(60_000);
    const told = [];
    for (const [path, says] of PAGES) {
      const page = await context.newPage();
      await page.goto(url + path);
      await settle(page);
      await says(page);
      if (!path.startsWith("/embed/")) await page.getByText("Old data.").waitFor();
      if (process.env.AUGURY_TEST_PICTURES) await page.screenshot({ path: `${process.env.AUGURY_TEST_PICTURES}/stale${path.replace(/\W+/g, "-")}-${colorScheme}.png` });
      told.push(...(await inspect(page, path)));
      await page.close();
    }
    await context.close();
    assert.deepEqual(told, []);
  });
}
