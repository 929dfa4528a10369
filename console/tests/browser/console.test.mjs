// The console in a real Chromium, over a real service on the sample.
// Needs AUGURY_TEST_URL and AUGURY_TEST_LINK (tests/console/test_browser.py gives both).
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { inspect } from "./axe.mjs";
import { compare } from "./references.mjs";
import { launch, settle } from "./service.mjs";
import { STATES, prepare } from "./states.mjs";

const base = process.env.AUGURY_TEST_URL;
const link = process.env.AUGURY_TEST_LINK;
const WAIT = 60_000;
/** What states ask for on purpose: no session, no scope, not there, too many, no database. */
const REFUSALS = [401, 403, 404, 429, 503];

let browser, context;
const troubles = [];

/** A browser of its own. `told` are the refusals that its pages ask for and tell of. */
async function open(options = {}, told = [401, 404]) {
  const made = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  made.setDefaultTimeout(WAIT);
  made.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(base) && !/^(data|blob|about):/.test(url)) troubles.push(`another origin: ${url}`);
  });
  made.on("console", (message) => {
    // The browser logs every refusal, also one that the page tells of.
    const status = Number(/the server responded with a status of (\d+)/.exec(message.text())?.[1]);
    if (message.type() === "error" && !told.includes(status)) troubles.push(`${message.text()} ${message.location().url}`);
  });
  made.on("weberror", (error) => troubles.push(String(error.error())));
  return made;
}

/** Waits for the page's heading: an address changes before its page has come and loaded. */
const headed = (page, name) => page.getByRole("heading", { level: 1, name, exact: true }).waitFor();

async function visit(page, path) {
  await page.goto(base + path);
  await settle(page);
}

before(async () => {
  browser = await launch();
  // 422: a row of an imported file is refused, which the page tells of.
  context = await open({}, [401, 404, 422]);
});
after(() => browser.close());

test("the owner signs in by the link, once, and it leaves the address", async () => {
  const page = await context.newPage();
  await page.goto(`${base}/sign-in#${link}`);
  await page.getByRole("button", { name: "operator" }).waitFor();
  assert.equal(new URL(page.url()).hash, "");
  const other = await (await open()).newPage();
  await other.goto(`${base}/sign-in#${link}`);
  await other.getByText("used before").waitFor();
  const cookies = await context.cookies();
  assert.equal(cookies.length, 1);
  assert.ok(cookies[0].httpOnly && cookies[0].sameSite === "Strict");
  assert.equal(await page.evaluate(() => document.cookie), "");
});

test("the analyst searches with the keyboard and reads a market", async () => {
  const page = await context.newPage();
  await visit(page, "/");
  await page.keyboard.press("/");
  await page.keyboard.type("fed rate cut");
  await page.waitForURL(/q=fed\+rate\+cut/);
  // The answer to all that was typed: rows of an earlier one would still move.
  await page.locator("#results[aria-busy=false] [data-row]").first().waitFor();
  await page.getByText(/markets in \d+ ms/).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.locator("[data-row]:focus").waitFor();
  const chosen = await page.evaluate(() => document.activeElement.textContent);
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/market\//);
  await headed(page, chosen);
  await page.locator(".chart canvas").waitFor();
  await page.locator(".row .spark path").first().waitFor();
  await page.getByText(/^Volume, up to .+ an hour$/).waitFor();
  await page.getByRole("button", { name: "1 week" }).click();
  await page.waitForURL(/range=week/);
  await page.reload();
  assert.equal(await page.getByRole("button", { name: "1 week" }).getAttribute("aria-pressed"), "true");
  await page.goBack();
  await page.waitForFunction(() => document.querySelector("#search-box")?.value === "fed rate cut");
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "CSV" }).click()]);
  assert.equal(file.suggestedFilename(), "fed-rate-cut.csv");
  const [head, first] = (await readFile(await file.path(), "utf8")).split("\r\n");
  assert.match(head, /^relation,id,platform,question,status,outcome,price,price_as_of/);
  assert.match(first, /^direct,/);
});

test("a forecast arrives with interval, grade, evidence and graph", async () => {
  const page = await context.newPage();
  await visit(page, "/forecast");
  await page.getByLabel("Question").fill("Will the US enter a recession by the end of 2027?");
  await page.keyboard.press("Enter");
  await page.locator(".verdict .big-n").waitFor();
  assert.match(await page.locator(".verdict .big-n").textContent(), /^\d+(\.\d)?%$/);
  await page.getByText(/80% range in a week/).first().waitFor();
  await page.locator(".grade").first().waitFor();
  await page.locator("section[aria-label=Evidence] tbody tr").first().waitFor();
  const node = page.locator(".node").nth(1);
  await node.waitFor();
  await node.focus();
  await page.keyboard.press("Enter");
  await page.locator(".graph ~ div h3").waitFor();
  // No label lies over another.
  const overlaps = await page.evaluate(() => {
    const boxes = [...document.querySelectorAll(".node rect")].map((node) => node.getBoundingClientRect());
    return boxes.filter((a, n) => boxes.some((b, m) => m > n && a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)).length;
  });
  assert.equal(overlaps, 0);
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "SVG" }).click()]);
  assert.match(file.suggestedFilename(), /recession.*\.svg$/);
  await page.reload();
  await page.locator(".verdict .big-n").waitFor();
});

test("a watchlist is made, a rule tried on the past and kept, an alert snoozed", async () => {
  const page = await context.newPage();
  await visit(page, "/watch");
  await page.getByRole("button", { name: "New watchlist" }).click();
  await page.getByLabel("Name").fill("Journeys");
  await page.getByRole("button", { name: "Make it" }).click();
  await page.getByLabel("Which").fill("kalshi:SAMPLE-RECESSION");
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByRole("tab", { name: "Watched (1)" }).waitFor();
  await page.locator(".watched .price-age").waitFor();
  await page.getByText("Import a file").click();
  const buffer = Buffer.from("ref,kind\nkalshi:NO-SUCH,market\nBTC,asset\n");
  await page.locator("input[type=file]").setInputFiles({ name: "list.csv", mimeType: "text/csv", buffer });
  await page.getByText("Done: 1 of 2 rows are watched now.").waitFor();
  await page.getByText(/Line 2, kalshi:NO-SUCH: /).waitFor();
  await page.getByRole("tab", { name: "Watched (2)" }).waitFor();
  // What is watched stands with what it is worth now.
  await page.getByText(/^a year, realized from .+ on; forecast \d+%$/).waitFor();
  await page.locator("#watch-panel select").first().selectOption("search");
  await page.getByLabel("Which").fill("fed rate cut");
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByText("Best found now").waitFor();
  await page.locator(".watched .price-age").nth(2).waitFor();
  await page.getByRole("tab", { name: /Rules/ }).click();
  await page.getByRole("button", { name: "New rule" }).click();
  await page.getByLabel("Condition").selectOption("gt");
  await page.getByLabel("Percent").fill("5");
  await page.getByText(/Would have fired/).waitFor();
  await page.getByRole("button", { name: "Keep this rule" }).click();
  await page.getByRole("tab", { name: "Rules (1)" }).waitFor();
  await page.getByRole("button", { name: "Evaluate now" }).click();
  await page.locator(".chip.firing").first().waitFor();
  await page.getByRole("tab", { name: "Alerts" }).click();
  await page.getByText(/Price when it fired .*\d%, now \d+(\.\d)?% \(±0 pt\)/).first().waitFor();
  await page.getByRole("button", { name: "Snooze 4 h" }).first().click();
  await page.getByText(/snoozed until/).first().waitFor();
  // The address restores what is shown.
  await page.getByLabel("State", { exact: true }).selectOption("resolved");
  await page.waitForURL(/state=resolved/);
  await page.reload();
  await page.getByText("No alerts").waitFor();
});

test("the address of the system page restores what was looked for", async () => {
  const page = await context.newPage();
  await visit(page, "/system");
  await page.getByLabel("Find a setting").fill("embed");
  await page.waitForURL(/setting=embed/);
  await page.reload();
  await page.getByText("AUGURY_EMBED_ORIGINS").first().waitFor();
  assert.equal(await page.getByLabel("Find a setting").inputValue(), "embed");
  await page.getByLabel("Find a setting").fill("");
  await page.waitForURL((url) => !url.searchParams.has("setting"));
  await page.getByRole("button", { name: /Show all \d+ settings/ }).click();
  await page.waitForURL(/settings=all/);
  await page.reload();
  await page.getByRole("button", { name: "Show only what was chosen here" }).waitFor();
});

test("the track record has the volatility forecasts too, and keeps its tables", async () => {
  const page = await context.newPage();
  await visit(page, "/record");
  const part = page.locator("section[aria-label='Volatility forecasts']");
  await part.getByText("Sample data: these scores are of simulated bars.").waitFor();
  assert.match(await part.locator("tbody tr").first().innerText(), /^1d[\s\S]*\d\.\d{3}/);
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "CSV" }).last().click()]);
  assert.equal(file.suggestedFilename(), "scorecard.csv");
  assert.match(await readFile(await file.path(), "utf8"), /^\uFEFFpart,n,brier/);
});

test("the operator makes a key, which signs a colleague in with its scopes alone", async () => {
  const page = await context.newPage();
  await visit(page, "/system");
  await page.getByRole("button", { name: "Create a key" }).click();
  await page.getByRole("textbox", { name: "Account" }).fill("colleague");
  await page.getByRole("button", { name: "Create", exact: true }).click();
  const made = await page.locator("dialog .secret").textContent();
  assert.match(made, /^aug_/);
  const other = await (await open({}, [401, 403])).newPage();
  await other.goto(`${base}/sign-in`);
  await other.getByLabel("API key").fill(made);
  await other.getByRole("main").getByRole("button", { name: "Sign in" }).click();
  await other.getByRole("button", { name: "colleague" }).waitFor();
  await other.goto(`${base}/watch`);
  await other.getByText("Your key does not cover this").waitFor();
});

test("the operator sends a file of prices and is told what became of its rows", async () => {
  const page = await context.newPage();
  await visit(page, "/system");
  // Of a market that is not there: the sample stays.
  const buffer = Buffer.from("market_id,ts,price\nkalshi:NO-SUCH,2026-11-01T00:00:00Z,0.4\n");
  const files = page.getByLabel("Files on this machine");
  await files.setInputFiles({ name: "prices.csv", mimeType: "text/csv", buffer });
  await page.getByText("1 price read").waitFor();
  await page.getByText("1 refused").click();
  await page.getByText(/1: unknown market/).waitFor();
  await files.setInputFiles({ name: "notes.csv", mimeType: "text/csv", buffer: Buffer.from("a,b\n1,2\n") });
  await page.getByText(/notes\.csv has neither a market's columns/).waitFor();
  for (const name of ["notes.csv", "prices.csv"]) await page.getByRole("button", { name: `Forget ${name}` }).click();
  await page.getByText("prices.csv").waitFor({ state: "detached" });
});

test("a stranger may search, and is told to sign in for more", async () => {
  const page = await (await open()).newPage();
  await page.goto(`${base}/?q=recession`);
  await page.locator("[data-row]").first().waitFor();
  await page.goto(`${base}/forecast?q=Will+it+rain%3F`);
  await page.getByText("Sign in to see this").waitFor();
});

let made;
// With AUGURY_TEST_THEMES=all both themes at both widths, which takes twice as long.
const THEMES = [["light", 1280], ["dark", 360], ...(process.env.AUGURY_TEST_THEMES === "all" ? [["dark", 1280], ["light", 360]] : [])];
for (const [colorScheme, width] of THEMES) {
  test(`axe finds nothing in any page or state, and nothing sticks out: ${colorScheme}, ${width} px`, async () => {
    const options = { colorScheme, viewport: { width, height: 800 } };
    const state = await context.storageState();
    made ??= await prepare(browser, base, state);
    const [themed, stranger] = [await open({ ...options, storageState: state }, REFUSALS), await open(options, REFUSALS)];
    const told = [];
    for (const { name, show, stranger: strange, foreign } of STATES) {
      const page = await (strange ? stranger : themed).newPage();
      await show(page, base, made);
      told.push(...(await inspect(page, name, foreign)));
      await page.close();
    }
    await themed.close();
    await stranger.close();
    assert.deepEqual(told, []);
  });
}

test("steady pages look as they were drawn", async (t) => {
  const { skipped, told } = await compare(browser, base, await context.storageState());
  if (skipped) return t.skip(skipped);
  assert.deepEqual(told, []);
});

test("text of a market is never markup", async () => {
  const page = await context.newPage();
  const hostile = "<img src=x onerror=alert(1)>";
  await page.route("**/v1/markets/kalshi:SAMPLE-RECESSION", async (route) => {
    const answer = await route.fetch();
    const body = await answer.json();
    body.market.question = body.market.description = hostile;
    body.market.platform_url = "javascript:alert(1)";
    await route.fulfill({ response: answer, json: body });
  });
  await visit(page, "/market/kalshi:SAMPLE-RECESSION");
  await headed(page, hostile);
  assert.equal(await page.locator("main img, a[href^=javascript]").count(), 0);
});

test("the API reference tries a request with the session", async () => {
  const page = await context.newPage();
  await page.goto(`${base}/docs/api`, { waitUntil: "commit" });
  await page.locator(".opblock").nth(30).waitFor();
});

test("no request left the origin, no policy was violated, no error was logged", () => {
  assert.deepEqual(troubles, []);
});
