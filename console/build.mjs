// Bundles the console: node build.mjs [--out FOLDER] [--digest TEXT]
// Writes hashed files, their compressed forms, two pages and a manifest that names them all.
import { createHash } from "node:crypto";
import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const option = (name, otherwise) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? otherwise : process.argv[at + 1];
};
const out = option("out", join(here, "..", "src", "augury", "console", "dist"));

await rm(out, { recursive: true, force: true });
await mkdir(out, { recursive: true });
const { metafile } = await build({
  absWorkingDir: here,
  entryPoints: { app: "src/main.tsx", reference: "src/reference.ts", "reference-style": "src/style/reference.css" },
  outdir: out,
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  bundle: true,
  splitting: true,
  format: "esm",
  target: ["chrome111", "firefox121", "safari17.5"],
  jsx: "automatic",
  jsxImportSource: "preact",
  minify: true,
  loader: { ".woff2": "file" },
  assetNames: "[name]-[hash]",
  publicPath: "/console",
  legalComments: "linked",
  metafile: true,
  logLevel: "warning",
  define: { "process.env.NODE_ENV": '"production"' },
});

const made = Object.entries(metafile.outputs).map(([path, output]) => ({ name: basename(path), ...output }));
const entry = (source) => made.find((file) => file.entryPoint === source);
const app = entry("src/main.tsx");
const style = basename(app.cssBundle);
const at = (name) => `/console/${name}`;
// What the first page needs at once, so that it is not found one file after the other.
const reached = new Set();
const reach = (file) => {
  for (const { path, kind } of file.imports) {
    const name = basename(path);
    if (kind === "import-statement" && !reached.has(name)) {
      reached.add(name);
      reach(made.find((other) => other.name === name));
    }
  }
};
reach(app);

// The letters of the first page too: a style sheet would tell of them late.
const letters = made.filter(({ name }) => /-latin-wght-normal-\w+\.woff2$/.test(name)).map(({ name }) => name);

// The licenses of all that is bundled go wherever the bundle goes.
const packages = Object.keys(metafile.inputs).flatMap((path) => path.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/) ?? []);
const licenses = [...new Set(packages)].sort().map(async (path) => {
  const folder = join(here, path);
  const { name, version, license } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const texts = (await readdir(folder)).filter((file) => /^(licen[cs]e|notice)(\.\w+)?$/i.test(file)).sort();
  return [`${name} ${version} (${license})`, ...(await Promise.all(texts.map((file) => readFile(join(folder, file), "utf8"))))].join("\n\n");
});
await writeFile(join(out, "licenses.txt"), (await Promise.all(licenses)).join(`\n\n${"-".repeat(80)}\n\n`));

const fill = (text, values) => text.replace(/{{(\w+)}}/g, (_, name) => values[name]);
await writeFile(
  join(out, "index.html"),
  fill(await readFile(join(here, "index.html"), "utf8"), {
    style: at(style),
    script: at(app.name),
    preload: [
      ...letters.map((name) => `<link rel="preload" as="font" type="font/woff2" crossorigin href="${at(name)}">`),
      ...[...reached].map((name) => `<link rel="modulepreload" href="${at(name)}">`),
    ].join("\n"),
  }),
);
await writeFile(
  join(out, "docs.html"),
  fill(await readFile(join(here, "docs.html"), "utf8"), {
    style: at(basename(entry("src/style/reference.css").name)),
    script: at(entry("src/reference.ts").name),
  }),
);

const files = (await readdir(out)).sort();
const sizes = {};
for (const name of files) {
  const body = await readFile(join(out, name));
  if (name.endsWith(".woff2")) {
    sizes[name] = { bytes: body.length, brotli: body.length, gzip: body.length };  // packed already
    continue;
  }
  const packed = brotliCompressSync(body, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 10, [constants.BROTLI_PARAM_SIZE_HINT]: body.length },
  });
  const zipped = gzipSync(body, { level: 9 });
  await writeFile(join(out, `${name}.br`), packed);
  await writeFile(join(out, `${name}.gz`), zipped);
  sizes[name] = { bytes: body.length, brotli: packed.length, gzip: zipped.length };
}
const first = [app.name, ...reached];
const digest = option("digest", createHash("sha256").update(JSON.stringify(sizes)).digest("hex"));
await writeFile(join(out, "manifest.json"), JSON.stringify({ digest, files, first, sizes }, null, 1));
const sum = (names, form) => (names.reduce((total, name) => total + sizes[name][form], 0) / 1000).toFixed(1);
const scripts = files.filter((name) => name.endsWith(".js"));
console.log(
  `first page: ${sum(first, "gzip")} kB of JavaScript (gzip), ${sum(first, "brotli")} kB (brotli); ` +
    `all of the console: ${sum(scripts, "gzip")} kB, ${sum(scripts, "brotli")} kB`,
);
