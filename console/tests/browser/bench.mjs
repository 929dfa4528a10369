// What the console costs and how quick it is: npm run bench [-- --markets 39000 | --data FOLDER | --url URL --link TOKEN]
// `--clone` measures a clean clone instead: seconds to the first answer and to the console.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { REPOSITORY, option, settle, withBoth } from "./service.mjs";

const ROUNDS = Number(option("rounds", "10"));
const TYPED = [
  "fed rate cut december", "us recession 2027", "bitcoin above 150000", "ukraine ceasefire", "house control", "oil price end of year",
  "openai ipo", "next pope", "hottest year on record", "taiwan invasion", "government shutdown", "nvidia earnings",
];
const SECONDS = 3;

const sorted = (values) => [...values].sort((a, b) => a - b);
const quantile = (values, q) => sorted(values)[Math.min(values.length - 1, Math.floor(values.length * q))];
const told = (name, value, goal) => console.log(`${name.padEnd(58)} ${value.padEnd(34)} ${goal}`);
const ms = (value) => `${Math.round(value)} ms`;

/** Notes paints before anything of the page runs. */
const watchPaint = () => {
  globalThis.largest = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) globalThis.largest = entry.startTime;
  }).observe({ type: "largest-contentful-paint", buffered: true });
};

/** First and largest paint of the first page in a browser that knows nothing of it. */
async function paint({ browser, url, state }) {
  const first = [], largest = [], script = [];
  for (let n = 0; n < ROUNDS; n++) {
    const context = await browser.newContext({ storageState: state, viewport: { width: 1280, height: 900 } });
    const page = await context.newPage();
    await page.addInitScript(watchPaint);
    const wire = await context.newCDPSession(page);
    await wire.send("Network.enable");
    const kinds = new Map();
    let bytes = 0;
    wire.on("Network.responseReceived", (event) => kinds.set(event.requestId, event.type));
    wire.on("Network.loadingFinished", (event) => {
      if (kinds.get(event.requestId) === "Script") bytes += event.encodedDataLength;
    });
    await page.goto(url);
    await settle(page);
    await page.locator(".row .price-n").first().waitFor();
    await page.waitForTimeout(700);
    first.push(await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0].startTime));
    largest.push(await page.evaluate(() => globalThis.largest));
    script.push(bytes);
    await context.close();
  }
  told("first contentful paint, cold, median", `${ms(quantile(first, 0.5))} (worst ${ms(Math.max(...first))})`, "<= 800 ms");
  told("largest contentful paint, cold, median", `${ms(quantile(largest, 0.5))} (worst ${ms(Math.max(...largest))})`, "<= 1200 ms");
  told("JavaScript of the first page, over the wire (brotli)", `${(quantile(script, 0.5) / 1000).toFixed(1)} kB`, "<= 150 kB");
}

function sizes() {
  const made = JSON.parse(readFileSync(join(REPOSITORY, "src", "augury", "console", "dist", "manifest.json"), "utf8"));
  const scripts = Object.entries(made.sizes).filter(([name]) => name.endsWith(".js"));
  const sum = (form, among = () => true) => scripts.filter(([name]) => among(name)).reduce((total, [, size]) => total + size[form], 0) / 1000;
  told("JavaScript of the first page, gzip / brotli", `${sum("gzip", (name) => made.first.includes(name)).toFixed(1)} / ${sum("brotli", (name) => made.first.includes(name)).toFixed(1)} kB`, "<= 150 kB");
  told("JavaScript of the whole console, gzip / brotli", `${sum("gzip").toFixed(1)} / ${sum("brotli").toFixed(1)} kB`, "<= 600 kB");
}

/** From a key to the frame that shows the rows of what stands in the box. */
async function typing({ browser, url, state }) {
  const context = await browser.newContext({ storageState: state, viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  await page.goto(url);
  await settle(page);
  await page.evaluate(() => {
    globalThis.took = [];
    const box = document.querySelector("#search-box");
    let pressed = null;
    box.addEventListener("keydown", (event) => (pressed = event.timeStamp), true);
    const look = () => {
      // Rows are those of the text in the box once nothing is busy.
      const answered = document.querySelector("[data-answered]")?.dataset.answered;
      if (pressed === null || answered !== box.value.trim()) return;
      const from = pressed;
      pressed = null;
      requestAnimationFrame(() => {
        const painted = new MessageChannel();
        painted.port1.onmessage = () => globalThis.took.push(performance.now() - from);
        painted.port2.postMessage(0);
      });
    };
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true, attributes: true });
  });
  const took = [];
  for (const text of TYPED) {
    await page.locator("#search-box").fill("");
    await page.waitForTimeout(200);
    for (const [n, key] of [...text].entries()) {
      const before = await page.evaluate(() => globalThis.took.length);
      await page.keyboard.press(key === " " ? "Space" : key);
      if (n < 2 || key === " ") {
        // One letter finds nothing worth showing, and a space asks the same.
        await page.waitForTimeout(150);
        continue;
      }
      await page.waitForFunction((count) => globalThis.took.length > count, before, { timeout: 10_000, polling: 20 }).catch(() => {});
      const value = await page.evaluate((count) => globalThis.took[count], before);
      if (value !== undefined) took.push(value);
    }
  }
  await context.close();
  told(`search as you type, key to painted rows, ${took.length} keys`, `p50 ${ms(quantile(took, 0.5))}, p95 ${ms(quantile(took, 0.95))}`, "p50 <= 120, p95 <= 250 ms");
}

/** Counts frames from now on: those that came, and those that should have. */
const countFrames = () => {
  const frames = (globalThis.frames = []);
  const step = (at) => {
    frames.push(at);
    globalThis.counting = requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
};
const frames = async (page) => {
  const all = await page.evaluate(() => (cancelAnimationFrame(globalThis.counting), globalThis.frames));
  const expected = Math.round(((all.at(-1) - all[0]) / 1000) * 60);
  const gaps = all.slice(1).map((at, n) => at - all[n]);
  const dropped = gaps.reduce((sum, gap) => sum + Math.max(0, Math.round(gap / (1000 / 60)) - 1), 0);
  return `${((100 * dropped) / expected).toFixed(1)}% of ${expected} (longest ${ms(Math.max(...gaps))})`;
};

async function scrolling({ browser, url, state }) {
  const context = await browser.newContext({ storageState: state, viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  // The list that the first page shows, a thousand rows long, of markets as they are.
  const items = [];
  for (let cursor = ""; items.length < 1000; ) {
    const answer = await (await context.request.get(`${url}/v1/markets?limit=200${cursor && `&cursor=${encodeURIComponent(cursor)}`}`)).json();
    items.push(...answer.items);
    cursor = answer.next_cursor;
    if (!cursor) break;
  }
  while (items.length < 1000) items.push(...items.slice(0, 1000 - items.length).map((row, n) => ({ ...row, id: `${row.id}-${items.length + n}` })));
  await page.route(/\/v1\/markets\?/, (route) => route.fulfill({ json: { items: items.slice(0, 1000), next_cursor: null } }));
  await page.goto(url);
  await settle(page);
  await page.waitForTimeout(2500);
  await page.mouse.move(640, 450);
  await page.evaluate(countFrames);
  const ends = Date.now() + SECONDS * 1000;
  while (Date.now() < ends) {
    await page.mouse.wheel(0, 90);
    await page.waitForTimeout(12);
  }
  const rows = await page.locator("[data-row]").count();
  const moved = await page.evaluate(() => scrollY);
  told(`dropped frames, scrolling ${rows} rows by ${Math.round(moved)} px`, await frames(page), "< 5%");
  await context.close();
}

async function panning({ browser, url, state }) {
  const context = await browser.newContext({ storageState: state, viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  const { items } = await (await context.request.get(`${url}/v1/markets?limit=1`)).json();
  const now = Date.now();
  let price = 0.5, seed = 7;
  const points = Array.from({ length: 10_000 }, (_, n) => {
    // A walk that is the same every time.
    seed = (seed * 48271) % 2147483647;
    price = Math.min(0.99, Math.max(0.01, price + (seed / 2147483647 - 0.5) * 0.02));
    return { timestamp: new Date(now - (10_000 - n) * 300_000).toISOString(), probability: price };
  });
  const volume = points.slice(12).flatMap((point, n) => (n % 12 ? [] : [{ start: points[n].timestamp, end: point.timestamp, volume: 1 + (n % 97) }]));
  await page.route(/\/history\?/, (route) => route.fulfill({ json: { market: items[0], interval_minutes: 5, series: [{ outcome: "Yes", points }], volume } }));
  await page.goto(`${url}/market/${items[0].id}`);
  await settle(page);
  const box = await page.locator(".chart .u-over").first().boundingBox();
  const y = box.y + box.height / 2;
  const drag = async (from, to, steps) => {
    await page.mouse.move(box.x + from * box.width, y);
    await page.mouse.down();
    await page.mouse.move(box.x + to * box.width, y, { steps });
    await page.mouse.up();
  };
  await page.waitForTimeout(500);
  await drag(0.05, 0.95, 4);
  await page.waitForTimeout(300);
  const before = await page.locator(".chart").first().getAttribute("data-from");
  await page.evaluate(countFrames);
  const ends = Date.now() + SECONDS * 1000;
  await page.mouse.move(box.x + box.width / 2, y);
  await page.mouse.down();
  for (let n = 0; Date.now() < ends; n++) {
    await page.mouse.move(box.x + box.width * (0.5 + 0.05 * Math.sin(n / 8)), y);
    await page.waitForTimeout(10);
  }
  const after = await page.locator(".chart").first().getAttribute("data-from");
  await page.mouse.up();
  told(`dropped frames, panning 10,000 points${before === after ? " (IT DID NOT MOVE)" : ""}`, await frames(page), "< 5%");
  await context.close();
}

async function origins({ browser, url, state }) {
  const context = await browser.newContext({ storageState: state });
  const other = new Set();
  let all = 0;
  context.on("request", (request) => {
    all++;
    if (!request.url().startsWith(url) && !/^(data|blob|about):/.test(request.url())) other.add(request.url());
  });
  const page = await context.newPage();
  for (const path of ["/", "/?q=fed", "/forecast", "/watch", "/volatility", "/record", "/causes", "/system", "/docs/api"]) {
    await page.goto(url + path, { waitUntil: "load" });
    await page.waitForTimeout(500);
  }
  await context.close();
  told(`requests to another origin, of ${all} on 9 pages`, `${other.size}${[...other].map((one) => ` ${one}`).join("")}`, "0");
}

/** Seconds from `git clone` to the first answer, and to a page with the console. */
async function clone() {
  const folder = mkdtempSync(join(tmpdir(), "augury-clone-"));
  const began = performance.now();
  const since = () => `${((performance.now() - began) / 1000).toFixed(1)} s`;
  let child;
  try {
    spawnSync("git", ["clone", "--quiet", REPOSITORY, join(folder, "augury")], { stdio: "inherit" });
    const { AUGURY_VENV: _, PYTHONPATH: __, ...rest } = process.env;
    child = spawn("./augury", ["serve"], {
      cwd: join(folder, "augury"), stdio: ["ignore", "pipe", "ignore"], detached: true,
      env: { ...rest, AUGURY_DATA_DIR: join(folder, "data"), AUGURY_PORT: "0", AUGURY_SYNC: "off" },
    });
    let url;
    for await (const line of createInterface({ input: child.stdout })) {
      if ((url = /answers at (http:\/\/\S+)/.exec(line)?.[1])) break;
    }
    if (!url) throw new Error("the clone did not start");
    await fetch(`${url}/v1/search`, { method: "POST", headers: { "Content-Type": "application/json" }, body: '{"query": "fed"}' });
    told("clean clone to the first answer of a search", since(), "<= 30 s");
    while (!(await (await fetch(url, { headers: { Accept: "text/html" } })).text()).includes("/console/app-")) {
      if (performance.now() - began > 600_000) throw new Error("no console within ten minutes");
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    told("clean clone to the console", since(), "<= 120 s");
  } finally {
    if (child?.pid) {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      await ended;
    }
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv.includes("--clone")) await clone();
else {
  sizes();
  await withBoth(async (both) => {
    const only = option("only");
    for (const part of [paint, typing, scrolling, panning, origins]) if (!only || only.split(",").includes(part.name)) await part(both);
  });
}
