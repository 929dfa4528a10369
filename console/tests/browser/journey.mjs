// A journey through the console as a film: npm run journey [-- --out FILE.webm --data FOLDER]
// Playwright's own films need a program that distributions do not carry; here Chromium films itself.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { WORK, option, settle, withBoth } from "./service.mjs";
import { MARKET, QUESTION } from "./states.mjs";

const out = option("out", join(WORK, "journey.webm"));
const [WIDTH, HEIGHT] = [1280, 800];

async function walk(page, url) {
  const rest = (ms = 1200) => page.waitForTimeout(ms);
  await page.goto(url);
  await settle(page);
  await rest();
  await page.locator("#search-box").pressSequentially("fed rate cut", { delay: 90 });
  await page.locator("[data-answered='fed rate cut']").waitFor();
  await rest(1800);
  await page.goto(`${url}/market/${MARKET}`);
  await page.locator(".chart canvas").waitFor();
  await rest();
  const box = await page.locator(".chart .u-over").boundingBox();
  await page.mouse.move(box.x + 60, box.y + 80);
  await page.mouse.move(box.x + box.width - 60, box.y + 80, { steps: 40 });
  await rest(600);
  await page.getByRole("link", { name: "Forecast" }).last().click();
  await page.goto(`${url}/forecast?q=${encodeURIComponent(QUESTION)}`);
  await page.locator(".graph .node").first().waitFor();
  await rest(1500);
  await page.locator(".graph").scrollIntoViewIfNeeded();
  await rest(1500);
  await page.locator(".node.question").press("Enter");
  await rest();
  await page.goto(`${url}/watch`);
  await settle(page);
  await page.getByRole("button", { name: "New watchlist" }).click();
  await page.getByLabel("Name").pressSequentially("My markets", { delay: 50 });
  await page.getByRole("button", { name: "Make it" }).click();
  await page.getByLabel("Which").pressSequentially("recession", { delay: 70 });
  await page.locator(".pick button, button.pick").first().click();
  await page.locator(".watched").first().waitFor();
  await rest();
  await page.getByRole("tab", { name: /Rules/ }).click();
  await page.getByRole("button", { name: "New rule" }).click();
  await page.getByLabel("Percent").fill("25");
  await page.getByText(/ould .*have fired/).waitFor();
  await rest(1800);
  await page.goto(`${url}/volatility`);
  await settle(page);
  await rest(1500);
}

await withBoth(async ({ browser, url, state }) => {
  const context = await browser.newContext({ storageState: state, viewport: { width: WIDTH, height: HEIGHT } });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const wire = await context.newCDPSession(page);
  const frames = [];
  wire.on("Page.screencastFrame", ({ data, metadata, sessionId }) => {
    frames.push({ data, at: metadata.timestamp * 1000 });
    void wire.send("Page.screencastFrameAck", { sessionId }).catch(() => {});
  });
  await wire.send("Page.startScreencast", { format: "jpeg", quality: 80, maxWidth: WIDTH, maxHeight: HEIGHT });
  await walk(page, url);
  await wire.send("Page.stopScreencast");
  await context.close();

  const studio = await (await browser.newContext()).newPage();
  await studio.exposeFunction("frame", (n) => frames[n] ?? null);
  const film = await studio.evaluate(async ([width, height]) => {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [width, height];
    const pen = canvas.getContext("2d");
    const recorder = new MediaRecorder(canvas.captureStream(25), { mimeType: "video/webm;codecs=vp8", videoBitsPerSecond: 2_500_000 });
    const parts = [];
    recorder.ondataavailable = (event) => parts.push(event.data);
    const first = await globalThis.frame(0);
    recorder.start();
    const began = performance.now();
    for (let n = 0, next = first; next; next = await globalThis.frame(++n)) {
      const image = new Image();
      image.src = `data:image/jpeg;base64,${next.data}`;
      await image.decode();
      const wait = next.at - first.at - (performance.now() - began);
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
      pen.drawImage(image, 0, 0, width, height);
    }
    await new Promise((resolve) => setTimeout(resolve, 800));
    await new Promise((resolve) => {
      recorder.onstop = resolve;
      recorder.stop();
    });
    const reader = new FileReader();
    return new Promise((resolve) => {
      reader.onload = () => resolve(reader.result.split(",")[1]);
      reader.readAsDataURL(new Blob(parts));
    });
  }, [WIDTH, HEIGHT]);
  mkdirSync(dirname(out), { recursive: true });
  writeFileSync(out, Buffer.from(film, "base64"));
  console.log(`${out}: ${frames.length} frames, ${Math.round((frames.at(-1).at - frames[0].at) / 1000)} s, ${(film.length * 0.75e-6).toFixed(1)} MB`);
});
