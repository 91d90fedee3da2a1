/**
 * `npm run test:node -- 24`: runs the suite on another major release of Node. Its binary is an npm package without scripts; it stays in
 * node_modules/.cache. Arguments after the number go to the suite: `npm run test:node -- 24 --only units`.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const [major = "", ...rest] = process.argv.slice(2);
if (!/^\d+$/.test(major)) {
  process.stderr.write(
    "npm run test:node -- MAJOR [arguments of npm test]\n\nMAJOR is a release of Node: 20, 22, 24\n",
  );
  process.exit(2);
}

const name = `node-${process.platform}-${process.arch}`;
const folder = join(ROOT, "node_modules/.cache/gwc", `node-${major}`);
const bin = join(folder, "node_modules", name, "bin");
if (!existsSync(join(bin, "node"))) {
  process.stdout.write(`Fetching ${name}@${major} into ${folder}\n`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund"];
  execFileSync("npm", ["install", ...flags, `${name}@${major}`], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
  });
}

const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH ?? ""}` };
const { status } = spawnSync("npm", ["test", "--", ...rest], { cwd: ROOT, env, stdio: "inherit" });
process.exitCode = status ?? 1;
