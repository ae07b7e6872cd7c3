// Builds the page into the Python package: a script, a style, and the licences of what is in them.
import { build } from "esbuild";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, "../rubric_core/evaluation/report_page/bundle");
const done = await build({
  absWorkingDir: here,
  entryPoints: [
    { in: "src/main.tsx", out: "report" },
    { in: "src/style.css", out: "report" },
  ],
  outdir: out,
  bundle: true,
  minify: true,
  format: "iife",
  target: ["chrome109", "firefox115", "safari16.4"],
  charset: "utf8",
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
  metafile: true,
  logLevel: "warning",
});

// In a page, these would begin a comment of old, in which an end tag is none.
const script = join(out, "report.js");
writeFileSync(script, readFileSync(script, "utf8").replace(/<(?=!--|script)/gi, "\\x3c"));

const folders = new Set(Object.keys(done.metafile.inputs).map((path) => path.match(/^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0]).filter(Boolean));
const parts = [...folders].sort().map((folder) => {
  const { name, version, license } = JSON.parse(readFileSync(join(here, folder, "package.json"), "utf8"));
  const file = readdirSync(join(here, folder)).find((each) => /^licen[cs]e/i.test(each));
  if (!file) throw new Error(`${folder} has no licence to pass on`);
  return `${name} ${version} (${license})\n\n${readFileSync(join(here, folder, file), "utf8").trim()}\n`;
});
writeFileSync(join(out, "third-party-notices.txt"), `The report page contains these packages.\n\n${parts.join(`\n${"-".repeat(80)}\n\n`)}`);
