import { existsSync, readdirSync, realpathSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { MAX_ASSET_BYTES, readRegularText } from "../../runtime/abi/regular-file.js";
import { nearest } from "../diagnostics/nearest.js";
import type { NamedPackage } from "../model/package.js";
import { PackageError } from "./package-error.js";

export interface LocatedPackage {
  /** Path without symbolic links. */
  root: string;
  /** Value of its package.json, which may lack name and version. */
  packageName: string;
  version: string;
  /** ES module whose default export is the plugin. */
  entry: string;
}

/** Conditions of `exports` for an `import` in Node. */
const CONDITIONS: ReadonlySet<string> = new Set(["node", "import", "module-sync", "default"]);

/** Searches from the folder of the file that names it. @throws PackageError */
export function locate(named: NamedPackage): LocatedPackage {
  const { name } = named;
  const root = realpathSync(rootOf(named));
  let manifest: Record<string, unknown>;
  try {
    manifest = JSON.parse(readRegularText(join(root, "package.json"), MAX_ASSET_BYTES)) as Record<
      string,
      unknown
    >;
  } catch {
    throw broken(name, "it has no readable package.json");
  }
  const text = (key: string, otherwise: string) =>
    typeof manifest[key] === "string" ? (manifest[key] as string) : otherwise;
  const entry = insidePackage(root, entryOf(manifest), name, "its entry");
  return { root, packageName: text("name", name), version: text("version", "0.0.0"), entry };
}

/** @throws PackageError if the file is missing or outside of the package */
export function insidePackage(root: string, path: string, name: string, what: string): string {
  const full = resolve(root, path);
  if (!existsSync(full))
    throw broken(name, `${what} ${path} does not exist`, "build the package: npm run build");
  const real = relative(root, realpathSync(full));
  if (real.startsWith("..") || real === "") throw broken(name, `${what} ${path} is outside the package`);
  return full;
}

export function broken(name: string, reason: string, help?: string): PackageError {
  return new PackageError("GW7002", { package: name, reason }, help);
}

function rootOf({ name, folder }: NamedPackage): string {
  if (name.startsWith(".")) {
    const root = resolve(folder, name);
    if (existsSync(root)) return root;
    const near = nearest(lastOf(name), namesIn(dirname(root)));
    const help =
      near === undefined
        ? "the path is relative to the file that lists it"
        : `did you mean "${name.slice(0, name.length - lastOf(name).length)}${near}"?`;
    throw new PackageError("GW7001", { package: name }, help);
  }
  const installed = ancestors(folder).map((at) => join(at, "node_modules"));
  const found = installed.map((at) => join(at, name)).find((at) => existsSync(at));
  if (found !== undefined) return found;
  const near = nearest(name, installed.flatMap(namesIn));
  const help = `npm install ${name}`;
  throw new PackageError(
    "GW7001",
    { package: name },
    near === undefined
      ? `install it next to the configuration: ${help}`
      : `did you mean "${near}"? Or ${help}`,
  );
}

const lastOf = (path: string) => path.replace(/\/$/, "").split("/").at(-1) ?? "";

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).flatMap((name) =>
      name.startsWith("@") ? readdirSync(join(folder, name)).map((own) => `${name}/${own}`) : [name],
    );
  } catch {
    return [];
  }
}

function ancestors(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [path] : [path, ...ancestors(parent)];
}

/** Takes `exports["."]`, otherwise `main`, otherwise "index.js". */
function entryOf(manifest: Record<string, unknown>): string {
  const { exports, main } = manifest;
  const target = exports === undefined ? undefined : conditional(rootExport(exports));
  if (target !== undefined) return target.split("/").join(sep);
  return typeof main === "string" ? main : "index.js";
}

function rootExport(exports: unknown): unknown {
  const isMap = typeof exports === "object" && exports !== null && Object.hasOwn(exports, ".");
  return isMap ? (exports as Record<string, unknown>)["."] : exports;
}

function conditional(target: unknown): string | undefined {
  if (typeof target === "string") return target;
  if (Array.isArray(target)) return target.map(conditional).find((one) => one !== undefined);
  if (typeof target !== "object" || target === null) return undefined;
  for (const [condition, value] of Object.entries(target)) {
    const found = CONDITIONS.has(condition) ? conditional(value) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}
