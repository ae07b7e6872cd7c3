// The licences of what is bundled into the extension, which ask to be passed on: read from esbuild's list of its inputs.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [list, notices, ...more] = process.argv.slice(2);
const inputs = Object.keys(JSON.parse(readFileSync(list, "utf8")).inputs);
const folders = new Set(inputs.map((path) => path.match(/^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0]).filter(Boolean));

const parts = [...folders].sort().map((folder) => {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  if (!file) throw new Error(`${folder} has no licence to pass on`);
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
});
if (!parts.length) throw new Error(`${list} names no package: is the bundle built as before?`);
const further = more.map((file) => readFileSync(file, "utf8"));
const line = `\n${"-".repeat(80)}\n\n`;
writeFileSync(notices, `Rubric for VS Code contains these packages.\n\n${[...parts, ...further].join(line)}`);
