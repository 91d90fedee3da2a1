import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { canonicalHash, sha256 } from "../../runtime/abi/hash.js";
import { VERSION } from "../../runtime/abi/version.js";
import type { LoadedPackage } from "../model/package.js";
import { plugins } from "../plugin/registry.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/**
 * Hashes everything besides a module that decides whether it passes its check: the checks, the runtime's
 * types, exports of plugins to modules, packages and TypeScript. A module that passed under one hash passes
 * under it again.
 */
export function checkerHash(packages: readonly LoadedPackage[]): string {
  const runtimes = readdirSync(join(ROOT, "plugins"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `plugins/${name}/runtime`);
  const folders = ["compiler/6-check", "runtime/abi", ...runtimes].filter((folder) =>
    existsSync(join(ROOT, folder)),
  );
  return canonicalHash({
    version: VERSION,
    typescript: typescriptVersion(),
    files: folders.flatMap(filesOf),
    plugins: plugins().map(({ name, exports = {} }) => ({ name, exports })),
    packages: packages.map(({ name, version, hash }) => ({ name, version, hash })),
  });
}

function filesOf(folder: string): [name: string, hash: string][] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.[jt]s$/.test(name))
    .sort()
    .map((name) => [`${folder}/${name}`, sha256(readFileSync(join(ROOT, folder, name)))]);
}

/** Reads the version without loading TypeScript, which alone takes half a second. */
function typescriptVersion(): string {
  const path = fileURLToPath(import.meta.resolve("ts-morph/package.json"));
  return (JSON.parse(readFileSync(path, "utf8")) as { version: string }).version;
}
