// Writes npm-shrinkwrap.json, the versions that a published package installs: package-lock.json without packages for development,
// which npm would install too (`npm install --global` of it took 1 GB in place of 139 MB).
import { readFileSync, writeFileSync } from "node:fs";

const root = new URL("../", import.meta.url);
const lock = JSON.parse(readFileSync(new URL("package-lock.json", root), "utf8"));
const { devDependencies, ...own } = lock.packages[""];
const used = Object.entries(lock.packages).filter(([path, { dev }]) => path !== "" && dev !== true);
const text = `${JSON.stringify({ ...lock, packages: { "": own, ...Object.fromEntries(used) } }, null, 2)}\n`;
const [to] = process.argv.slice(2);
writeFileSync(to ?? new URL("npm-shrinkwrap.json", root), text);
