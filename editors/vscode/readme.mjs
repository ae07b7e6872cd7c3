// The README as it is packaged, without its pictures: VS Code shows pictures on the page of an extension only from the web.
import { readFileSync, writeFileSync } from "node:fs";

const [from, to] = process.argv.slice(2);
writeFileSync(to, readFileSync(from, "utf8").replace(/!\[[^\]]*\]\((?!https:)[^)]+\)\n+/gu, ""));
