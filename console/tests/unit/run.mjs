// Bundles the unit tests, as Node.js 20 reads no TypeScript, and runs them.
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = await mkdtemp(join(here, "..", "..", ".build-"));
try {
  const names = (await readdir(here)).filter((name) => name.endsWith(".test.ts"));
  await build({ entryPoints: names.map((name) => join(here, name)), outdir: out, bundle: true, platform: "node", format: "esm", outExtension: { ".js": ".mjs" }, logLevel: "warning" });
  for (const name of names) await import(pathToFileURL(join(out, name.replace(/\.ts$/, ".mjs"))).href);
} finally {
  await rm(out, { recursive: true });
}
