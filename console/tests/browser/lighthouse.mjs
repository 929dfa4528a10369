// Lighthouse over the main pages, signed in: npm run lighthouse [-- --data FOLDER]
// It is not among the console's packages (a hundred of its own): npm install --no-save lighthouse@12, or --lighthouse FOLDER.
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { ARGUMENTS, CHROMIUM, REPOSITORY, option, service } from "./service.mjs";
import { MARKET, QUESTION } from "./states.mjs";

const GOAL = 95;
const CATEGORIES = ["performance", "accessibility", "best-practices"];
const PAGES = [
  "/", "/?q=fed+rate+cut", `/market/${MARKET}`, `/forecast?q=${encodeURIComponent(QUESTION)}`, "/watch", "/volatility", "/record",
  "/causes", "/system",
];

let found;
try {
  found = createRequire(join(option("lighthouse", join(REPOSITORY, "console")), "x.js")).resolve("lighthouse");
} catch {
  console.error("Lighthouse is not installed. Run: npm install --no-save lighthouse@12");
  process.exit(2);
}
const { default: lighthouse, desktopConfig } = await import(pathToFileURL(found));

async function score(path, served, port) {
  const done = await lighthouse(served.url + path, { port, onlyCategories: CATEGORIES, disableStorageReset: true, logLevel: "error" }, desktopConfig);
  const scores = CATEGORIES.map((one) => Math.round(100 * done.lhr.categories[one].score));
  const [paint, shift, blocked] = ["largest-contentful-paint", "cumulative-layout-shift", "total-blocking-time"].map((id) => done.lhr.audits[id].displayValue);
  console.log(`${path.slice(0, 44).padEnd(44)} ${scores.map((one) => String(one).padStart(15)).join("")}   largest paint ${paint}, shift ${shift}, blocked ${blocked}`);
  CATEGORIES.forEach((one, n) => {
    if (scores[n] >= GOAL) return;
    process.exitCode = 1;
    for (const { id, weight } of done.lhr.categories[one].auditRefs) {
      const audit = done.lhr.audits[id];
      if (weight && audit.score !== null && audit.score < 0.9) console.log(`    ${one}: ${audit.title}${audit.displayValue ? ` (${audit.displayValue})` : ""}`);
    }
  });
}

const port = await new Promise((resolve) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const free = server.address().port;
    server.close(() => resolve(free));
  });
});
const profile = mkdtempSync(join(tmpdir(), "augury-lighthouse-"));
const served = await service();
let context;
try {
  context = await chromium.launchPersistentContext(profile, { executablePath: CHROMIUM, args: [...ARGUMENTS, `--remote-debugging-port=${port}`] });
  console.log(`${"page".padEnd(44)} ${CATEGORIES.map((one) => one.padStart(15)).join("")}   goal ${GOAL}`);
  await score("/sign-in", served, port);
  const page = await context.newPage();
  await page.goto(`${served.url}/sign-in#${served.link}`);
  await page.getByRole("button", { name: "operator" }).waitFor();
  await page.goto("about:blank");
  for (const path of PAGES) await score(path, served, port);
} finally {
  await context?.close();
  await served.stop();
  rmSync(profile, { recursive: true, force: true });
}
