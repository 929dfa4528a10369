// Every page of the console in every state worth looking at: for pictures, axe and the comparison.
import { settle } from "./service.mjs";

export const QUESTION = "Will the US enter a recession by the end of 2027?";
export const MARKET = "kalshi:SAMPLE-RECESSION";

const visit = async (page, url, path) => {
  await page.goto(url + path);
  await settle(page);
};
const at = (path) => (page, url) => visit(page, url, path);
const failing = (match, status, path) => async (page, url) => {
  await page.route(match, (route) => route.fulfill({ status, json: { detail: status === 503 ? "The database is away. Try again in a minute." : "Slow down." }, headers: { "retry-after": "30" } }));
  await page.goto(url + path);
  await page.locator("[role=alert]").first().waitFor();
};

/**
 * `show` brings a page into the state; `stranger`: nobody is signed in; `screen`: a picture of what
 * is on the screen and not of all of the page; `foreign`: the part that a library draws.
 */
export const STATES = [
  { name: "search", show: at("/") },
  { name: "results", show: async (page, url) => {
    await visit(page, url, "/?q=fed+rate+cut");
    await page.locator("[data-row]").first().waitFor();
  } },
  { name: "results-none", show: async (page, url) => {
    await visit(page, url, "/?q=zzzzqqq&venue=kalshi&volume=1000000");
    await page.locator("[data-answered]").waitFor();
  } },
  { name: "loading", screen: true, show: async (page, url) => {
    await page.route("**/v1/search", () => {});
    await page.goto(`${url}/?q=fed+rate+cut`);
    await page.locator(".skeleton").first().waitFor();
  } },
  { name: "error", show: failing("**/v1/search", 503, "/?q=recession") },
  { name: "limited", show: failing("**/v1/search", 429, "/?q=recession") },
  { name: "market", show: async (page, url) => {
    await visit(page, url, `/market/${MARKET}`);
    await page.locator(".chart canvas").waitFor();
  } },
  { name: "market-watch", screen: true, show: async (page, url) => {
    await visit(page, url, `/market/${MARKET}`);
    await page.getByRole("button", { name: "Watch" }).click();
    await page.locator("dialog select, dialog input").first().waitFor();
  } },
  { name: "market-embed", screen: true, show: async (page, url) => {
    await visit(page, url, `/market/${MARKET}`);
    await page.getByRole("button", { name: "Embed" }).click();
    await page.locator("dialog code").first().waitFor();
  } },
  { name: "missing", show: at("/market/kalshi:NO-SUCH") },
  { name: "watch-missing", show: at("/watch/wl_nowhere") },
  { name: "forecast", show: at("/forecast") },
  { name: "forecast-made", show: async (page, url) => {
    await visit(page, url, `/forecast?q=${encodeURIComponent(QUESTION)}`);
    await page.locator(".graph .node").first().waitFor();
  } },
  { name: "forecast-node", show: async (page, url) => {
    await visit(page, url, `/forecast?q=${encodeURIComponent(QUESTION)}`);
    await page.locator(".graph .node").nth(1).press("Enter");
    await page.getByText("The graph in words").click();
    await page.getByText(/Compared and not used/).click().catch(() => {});
  } },
  { name: "forecast-range", show: async (page, url) => {
    await visit(page, url, `/forecast?q=${encodeURIComponent("How high will Bitcoin get in 2026?")}`);
    await page.locator("section[aria-label=Answer]").waitFor();
  } },
  { name: "forecast-none", show: async (page, url) => {
    await visit(page, url, `/forecast?q=${encodeURIComponent("Will my neighbor paint his fence?")}`);
    await page.locator("section[aria-label=Answer]").waitFor();
  } },
  { name: "watch-none", stranger: true, show: at("/watch") },
  ...["alerts", "targets", "rules", "deliveries"].map((tab) => ({
    name: `watch-${tab}`, show: async (page, url, made) => visit(page, url, `/watch/${made.list}?tab=${tab}`),
  })),
  { name: "watch-rule", show: async (page, url, made) => {
    await visit(page, url, `/watch/${made.list}?tab=rules`);
    await page.getByRole("button", { name: "New rule" }).click();
    await page.getByLabel("Condition").selectOption("gt");
    await page.getByLabel("Percent").fill("5");
    await page.getByText(/ould .*have fired/).waitFor();
  } },
  { name: "volatility", show: at("/volatility") },
  { name: "record", show: at("/record") },
  { name: "causes", show: at("/causes?q=recession") },
  { name: "causes-none", show: at("/causes?q=zzzz") },
  { name: "system", show: at("/system") },
  { name: "system-key", screen: true, show: async (page, url) => {
    await visit(page, url, "/system");
    await page.getByRole("button", { name: "Create a key" }).click();
  } },
  { name: "system-stranger", stranger: true, show: at("/system") },
  { name: "sign-in", stranger: true, show: at("/sign-in") },
  { name: "embed-market", show: async (page, url) => {
    await page.goto(`${url}/embed/market/${MARKET}`);
    await page.locator(".chart canvas").waitFor();
  } },
  { name: "docs", screen: true, foreign: "#reference", show: async (page, url) => {
    await page.goto(`${url}/docs/api`, { waitUntil: "commit" });
    await page.locator(".opblock").nth(20).waitFor();
  } },
];

/** A watchlist with something of everything, so that no page is empty; gives its id. */
export async function prepare(browser, url, state) {
  const context = await browser.newContext({ storageState: state });
  const { csrf } = await (await context.request.get(`${url}/v1/session`)).json();
  const post = async (path, data) => {
    const answer = await context.request.post(url + path, { data, headers: { "X-CSRF-Token": csrf } });
    if (!answer.ok()) throw new Error(`${path}: ${answer.status()} ${await answer.text()}`);
    return answer.json();
  };
  const list = await post("/v1/watchlists", { name: "Rates and recession", description: "What moves before the central bank does." });
  const base = `/v1/watchlists/${list.id}`;
  for (const ref of [MARKET, ...(await others(context, url))]) await post(`${base}/targets`, { kind: "market", ref });
  await post(`${base}/targets`, { kind: "search", ref: "fed rate cut" });
  await post(`${base}/targets`, { kind: "asset", ref: "BTC" });
  await post(`${base}/rules`, { name: "Likely", metric: "probability", op: "gt", value: 0.05, severity: "warning" });
  await post(`${base}/rules`, { name: "Jumps", metric: "probability_change", op: "gt", value: 0.05, window: "1d", severity: "critical" }).catch(() => {});
  await post(`${base}/deliveries`, { type: "webhook", url: "https://hooks.example.org/augury" });
  await post(`${base}/evaluate`, {}).catch(() => {});
  // Prices of markets that are not there: the sample stays.
  const lines = Buffer.from("market_id,ts,price\nkalshi:NO-SUCH,2026-11-01T00:00:00Z,0.4\nkalshi:NO-SUCH,2026-11-02T00:00:00Z,0.5\n");
  const imports = "/internal/v1/admin/imports";
  const { id } = await post(imports, { name: "prices-2026-11.csv", bytes: lines.length });
  await context.request.put(`${url}${imports}/${id}/parts/0`, { data: lines, headers: { "X-CSRF-Token": csrf, "Content-Type": "application/octet-stream" } });
  await post(`${imports}/${id}/start`, {});
  await context.close();
  return { list: list.id };
}

async function others(context, url) {
  const { items } = await (await context.request.get(`${url}/v1/markets?limit=6&status=active`)).json();
  return items.map((item) => item.id).filter((id) => id !== MARKET).slice(0, 4);
}
