import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { canonicalHash, sha256 } from "../../runtime/abi/hash.js";
import { SCHEMA_DIRECTORY } from "../../schema/schemas.js";
import type { LoadedPackage } from "../model/package.js";

const CODE = fileURLToPath(new URL("../../", import.meta.url));

/**
 * Hashes all inputs of a compile except the configuration: code of this compiler, schemas, templates, Node,
 * packages.
 */
export function codeHash(packages: readonly LoadedPackage[]): string {
  const root = dirname(SCHEMA_DIRECTORY);
  const { dependencies = {} } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return canonicalHash({
    node: process.version,
    files: [
      ...["compiler", "plugins", "schema", "runtime/abi"].flatMap((folder) =>
        filesOf(join(CODE, folder), /(?<!\.d)\.[jt]s$/),
      ),
      ...["templates", "plugins", "schema"].flatMap((folder) =>
        filesOf(join(root, folder), /\.(?:hbs|json)$/),
      ),
    ],
    dependencies: Object.keys(dependencies).map((name) => installed(root, name)),
    packages: packages.map(({ name, version, hash }) => ({ name, version, hash })),
  });
}

function filesOf(folder: string, form: RegExp): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => form.test(name))
    .sort()
    .map((name) => `${name} ${sha256(readFileSync(join(folder, name)))}`);
}

/**
 * Hashes the description of an installed package. It is looked up as Node does: in `node_modules` of the
 * dependent's folder, then of the folders above.
 */
function installed(from: string, name: string): string {
  const path = join(from, "node_modules", name, "package.json");
  if (existsSync(path)) return `${name} ${sha256(readFileSync(path))}`;
  return dirname(from) === from ? name : installed(dirname(from), name);
}
