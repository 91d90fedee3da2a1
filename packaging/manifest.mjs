// `manifest.mjs published` removes devDependencies from package.json before npm pack; without an argument it
// restores them from package-lock.json.
// npm-shrinkwrap.json has none either, and `npm ci` in an unpacked package refuses two files that differ.
import { readFileSync, writeFileSync } from "node:fs";

const root = new URL("../", import.meta.url);
const read = (name) => JSON.parse(readFileSync(new URL(name, root), "utf8"));
const published = process.argv[2] === "published";
const { devDependencies } = read("package-lock.json").packages[""];
const fields = Object.entries(read("package.json")).flatMap(([name, value]) => {
  if (name === "devDependencies") return [];
  // Their place in the tree, so that nothing differs afterwards.
  return name === "dependencies" && !published
    ? [
        [name, value],
        ["devDependencies", devDependencies],
      ]
    : [[name, value]];
});
writeFileSync(new URL("package.json", root), `${JSON.stringify(Object.fromEntries(fields), null, 2)}\n`);
