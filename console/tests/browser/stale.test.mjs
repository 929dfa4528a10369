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

const DAYS = 24 * 3600 * 1000;
/** A picture to look at, where one is asked for. */
const picture = async (page, name) => {
  if (process.env.AUGURY_TEST_PICTURES) await page.screenshot({ path: `${process.env.AUGURY_TEST_PICTURES}/${name}.png`, fullPage: true });
};
const visit = async (page, path) => {
  await page.goto(url + path);
  await settle(page);
};
async function signedInPage() {
  const context = await browser.newContext({ storageState: state, viewport: { width: 1280, height: 900 } });
  context.setDefaultTimeout(60_000);
  return context.newPage();
}

test("the operator sees which venue is old, how old, why, and what to do", async () => {
  const page = await signedInPage();
  await visit(page, "/system");
  const health = page.locator("section[aria-label=Health]");
  await health.getByText("degraded").waitFor();
  await health.getByText(/Kalshi: the newest price is 40 days old, and no sync is configured\. Set AUGURY_SYNC=on, or import newer data\./).waitFor();
  const row = await health.locator("tr", { hasText: "Kalshi" }).innerText();
  assert.match(row, /40 days ago\s+never/);
  await page.getByLabel("Find a setting").fill("AUGURY_SYNC");
  await page.locator("section[aria-label=Settings] tr", { hasText: "AUGURY_SYNC" }).first().getByText("off", { exact: true }).waitFor();
  await picture(page, "stale-operator");
  await page.context().close();
});

test("the agent builder gets the age with every number, by the page and by the API", async () => {
  const page = await signedInPage();
  await page.goto(`${url}/docs/api`, { waitUntil: "commit" });
  const block = page.locator("#operations-markets-listMarkets, .opblock", { has: page.locator('[data-path="/v1/markets"]') }).first();
  await block.locator(".opblock-summary-control").click();
  await block.getByRole("button", { name: "Try it out" }).click();
  await block.getByRole("button", { name: "Execute" }).click();
  const answered = block.locator(".live-responses-table .response-col_description .highlight-code").first();
  await answered.getByText("price_as_of").first().waitFor();
  assert.match((await answered.innerText()).replace(/\s+/g, " "), /"stale": true/);
  await picture(page, "stale-agent-builder");
  // The same by a key, as a program has it.
  await visit(page, "/system");
  await page.getByRole("button", { name: "Create a key" }).click();
  await page.getByRole("textbox", { name: "Account" }).fill("agent");
  await page.getByRole("button", { name: "Create", exact: true }).click();
  const key = await page.locator("dialog .secret").textContent();
  const got = await fetch(`${url}/v1/search`, {
    method: "POST", headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: JSON.stringify({ query: "recession", dimensions: ["direct"], top_k_per_dimension: 3 }),
  });
  const [first] = (await got.json()).results.direct;
  assert.equal(first.stale, true);
  assert.equal(Math.floor((Date.now() - Date.parse(first.price_as_of)) / DAYS), 40);
  await page.context().close();
});

test("the quant takes an old history, and replays its day", async () => {
  const page = await signedInPage();
  await visit(page, `/market/${ID}?range=all`);
  await page.getByText("Price of 40 days ago. It is too old to rely on.").waitFor();
  await page.getByText("none is known in this window").waitFor();
  await picture(page, "stale-quant");
  const csv = await page.evaluate((href) => fetch(href).then((got) => got.text()), await page.getByRole("link", { name: "CSV" }).getAttribute("href"));
  const last = csv.trim().split("\n").filter((line) => line.includes(",Yes,")).at(-1).split(",");
  const age = (Date.now() - Date.parse(last[0])) / DAYS;
  assert.ok(age >= 40 && age < 41.1, `${age} days`);
  await visit(page, `/forecast?q=${encodeURIComponent(QUESTION)}`);
  await page.getByText("No number").waitFor();
  await page.getByRole("link", { name: "replay that moment" }).click();
  const answer = page.locator("section[aria-label=Answer]");
  await answer.getByText("replayed").waitFor();
  await answer.getByText("Prices come from an import, not from the venue itself.").waitFor();
  assert.equal(await answer.locator(".big-n").textContent(), "31%");
  await picture(page, "stale-quant-replay");
  await visit(page, "/volatility");
  await page.getByText("No number here is of a real asset.").waitFor();
  await page.context().close();
});

test("the analyst's rules say why they see nothing", async () => {
  const page = await signedInPage();
  await visit(page, "/watch");
  await page.getByRole("button", { name: "New watchlist" }).click();
  await page.getByLabel("Name").fill("Old");
  await page.getByRole("button", { name: "Make it" }).click();
  await page.getByLabel("Which").fill(ID);
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.locator(".watched .price-age.stale").waitFor();
  await page.getByRole("tab", { name: /Rules/ }).click();
  await page.getByRole("button", { name: "New rule" }).click();
  await page.getByText("Nothing to try it on in these 30 days.").waitFor();
  await page.getByRole("button", { name: "Keep this rule" }).click();
  await page.getByRole("tab", { name: "Rules (1)" }).waitFor();
  await page.getByRole("button", { name: "Evaluate now" }).click();
  await page.getByText("Looked at 1 pair of rule and target: 0 firing, 0 quiet, 1 without data.").waitFor();
  await page.getByText(/40 days/).first().waitFor();
  await picture(page, "stale-analyst-rules");
  await page.context().close();
});

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
