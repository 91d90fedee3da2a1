import { mkdirSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sha256 } from "./hash.js";

export interface PluginPackage {
  name: string;
  version: string;
  /** Lowest and highest supported number of the interface. */
  abi: readonly [number, number];
  /** SHA-256 of the package's own files in hex. */
  hash: string;
}

/** Runtime code of a packaged plugin, as one file. */
export interface PluginBundle extends PluginPackage {
  exports: readonly string[];
  /** ES module that imports only modules of Node, and `LOGGER_RUNTIME`. */
  code: string;
  licenses: string;
}

export interface NamedBundle {
  name: string;
  /** SHA-256 of the file in hex. */
  hash: string;
  exports: readonly string[];
}

export interface PluginFile extends NamedBundle {
  /** Absolute path. */
  file: string;
}

/**
 * Path below a build or a run directory, with digits of the hash: another bundle is another file. `.mjs`,
 * because Node 20 reads `.js` as CommonJS unless a package.json says otherwise.
 */
export function bundlePath({ name, code }: Pick<PluginBundle, "name" | "code">): string {
  return namedBundlePath({ name, hash: sha256(code) });
}

export const namedBundlePath = ({ name, hash }: Pick<NamedBundle, "name" | "hash">): string =>
  `plugins/${name}-${hash.slice(0, 12)}.mjs`;

export const licensesPath = (bundle: Pick<PluginBundle, "name" | "code">): string =>
  bundlePath(bundle).replace(/\.mjs$/, ".licenses.txt");

/** Module that bundles import at run time: batches, spool and connections of loggers. */
export const LOGGER_RUNTIME = "gwc/logger/runtime";

/** Folder with gwc's own package.json. */
const PACKAGE = fileURLToPath(new URL("../../", import.meta.url)).replace(/\.build[\\/]$/, "");

/** Lets bundles in `folder` import `LOGGER_RUNTIME` of this gwc: Node looks for `node_modules` beside a module. */
export function linkOwnModules(folder: string): void {
  const link = join(folder, "node_modules/gwc");
  if (targetOf(link) === PACKAGE) return;
  mkdirSync(join(folder, "node_modules"), { recursive: true, mode: 0o700 });
  // A gwc that has moved since left another link.
  rmSync(link, { force: true });
  symlinkSync(PACKAGE, link, "dir");
}

function targetOf(link: string): string | undefined {
  try {
    return readlinkSync(link);
  } catch {
    return undefined;
  }
}
