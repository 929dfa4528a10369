// What the commands beside the tests share: a service to look at, and a browser to look with.
//   --url URL --link TOKEN   a service that runs already, and the token of its sign-in link
//   --data FOLDER            the data folder of a service that is started and stopped here
//   --markets N              a new one of N generated markets; without any of these: the sample
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

export const REPOSITORY = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..");
export const WORK = join(REPOSITORY, "console", ".build");

export const option = (name, otherwise = null) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? otherwise : (process.argv[at + 1] ?? "");
};

const FILL = `
import asyncio, sys
from pathlib import Path
from augury.app import running
from augury.search.bench import import_generated
from augury.settings import Settings
async def fill():
    async with running(Settings(data_dir=Path(sys.argv[1]), sync="off", sample="off")) as services:
        await import_generated(services, int(sys.argv[2]))
asyncio.run(fill())
`;

function python() {
  const venv = process.env.AUGURY_VENV ?? join(REPOSITORY, ".venv");
  const found = join(venv, "bin", "python");
  if (!existsSync(found)) throw new Error(`${found} is not there: run ./augury --version once, it sets the environment up`);
  return found;
}

/** A service by the options: its address, the token of its sign-in link, and how to end it. */
export async function service() {
  if (option("url")) return { url: option("url").replace(/\/$/, ""), link: option("link"), stop: async () => {} };
  const made = option("data") ? null : mkdtempSync(join(tmpdir(), "augury-console-"));
  const folder = option("data") ?? made;
  const env = {
    ...process.env, PYTHONPATH: join(REPOSITORY, "src"), AUGURY_DATA_DIR: folder, AUGURY_SYNC: "off", AUGURY_PORT: "0",
    AUGURY_FORECAST_RATE: "1000/min", AUGURY_WORK: "here",
  };
  if (option("markets")) {
    const filled = spawnSync(python(), ["-c", FILL, folder, option("markets")], { env, stdio: ["ignore", "ignore", "pipe"], encoding: "utf8" });
    if (filled.status) throw new Error(filled.stderr.slice(-2000));
  }
  const child = spawn(python(), ["-m", "augury", "serve"], { env, stdio: ["ignore", "pipe", "ignore"] });
  const stop = async () => {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    if (child.exitCode === null) {
      child.kill("SIGTERM");
      await ended;
    }
    if (made) rmSync(made, { recursive: true, force: true });
  };
  for await (const line of createInterface({ input: child.stdout })) {
    const found = /Console: (http:\/\/\S+)\/sign-in#(\S+)/.exec(line);
    if (found) return { url: found[1], link: found[2], stop };
  }
  await stop();
  throw new Error("the service ended before it answered");
}

export const CHROMIUM = process.env.AUGURY_TEST_CHROMIUM ?? "/usr/bin/chromium";
export const ARGUMENTS = [
  "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync",
];

export const launch = () => chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS });

/** The state of a browser in which the owner is signed in. */
export async function signedIn(browser, { url, link }) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${url}/sign-in#${link}`);
  await page.getByRole("button", { name: "operator" }).waitFor();
  const state = await context.storageState();
  await context.close();
  return state;
}

/** Waits until nothing is loading any more. */
export async function settle(page) {
  await page.waitForSelector("main h1", { state: "attached" });
  await page.waitForFunction(() => !document.querySelector(".skeleton"), null, { timeout: 60_000 });
  await page.evaluate(() => document.fonts.ready.then(() => {}));
}

/** Runs `work` with a service and a browser, both of which end with it. */
export async function withBoth(work) {
  const served = await service();
  let browser;
  try {
    browser = await launch();
    const state = await signedIn(browser, served);
    await work({ ...served, browser, state });
  } finally {
    await browser?.close();
    await served.stop();
  }
}
