import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { messageOf } from "../abi/error-message.js";
import { sha256 } from "../abi/hash.js";
import {
  linkOwnModules,
  type NamedBundle,
  namedBundlePath,
  type PluginBundle,
  type PluginFile,
} from "../abi/plugin-bundle.js";
import { StartError } from "../process/contribution.js";
import { log } from "../process/log.js";

/** A worker that starts later loads the same bytes, even if the packages or the build have changed since. */
export function writeBundles(runDirectory: string, bundles: readonly PluginBundle[]): PluginFile[] {
  return bundles.map((bundle) => {
    const { name, code, exports } = bundle;
    const hash = sha256(code);
    const file = join(runDirectory, namedBundlePath({ name, hash }));
    writeModule(file, code);
    return { name, file, hash, exports };
  });
}

/** Copies bundles beside saved generations; each copy is atomic and flushed. */
export async function keepBundles(directory: string, files: readonly PluginFile[]): Promise<void> {
  for (const { name, file, hash } of files) {
    const kept = join(directory, namedBundlePath({ name, hash }));
    if (intact(kept, hash) !== undefined) continue;
    mkdirSync(dirname(kept), { recursive: true, mode: 0o700 });
    const unfinished = `${kept}.new`;
    const handle = await open(unfinished, "w", 0o600);
    try {
      await handle.writeFile(readFileSync(file));
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(unfinished, kept);
  }
}

/** @throws StartError that names the first missing or changed bundle */
export function restoreBundles(
  directory: string,
  bundles: readonly NamedBundle[],
  runDirectory: string,
): PluginFile[] {
  return bundles.map((bundle) => {
    const { name, hash } = bundle;
    const code = intact(join(directory, namedBundlePath(bundle)), hash);
    if (code === undefined)
      throw new StartError(`its plugin "${name}" in the store differs from the saved one`);
    const file = join(runDirectory, namedBundlePath(bundle));
    writeModule(file, code);
    return { ...bundle, file };
  });
}

export function removeBundlesBut(directory: string, files: readonly NamedBundle[]): void {
  const needed = new Set(files.map((file) => basename(namedBundlePath(file))));
  const folder = join(directory, "plugins");
  let names: string[] = [];
  try {
    names = readdirSync(folder);
  } catch {
    // There never were any.
  }
  for (const name of names.filter((each) => !needed.has(each)))
    rm(join(folder, name), { force: true }).catch((error: unknown) =>
      log("generation_not_removed", { file: join(folder, name), reason: messageOf(error) }),
    );
}

/** Returns the reason why a generation cannot run beside plugins that are already loaded, or undefined. */
export function otherPluginFault(
  some: readonly NamedBundle[],
  others: readonly NamedBundle[],
): string | undefined {
  const lacksIn = (list: readonly NamedBundle[]) => (one: NamedBundle) =>
    !list.some(({ name, hash }) => name === one.name && hash === one.hash);
  const plugin = some.find(lacksIn(others)) ?? others.find(lacksIn(some));
  if (plugin === undefined) return undefined;
  return `the plugin "${plugin.name}" differs from the one in the running generation; restart the gateway`;
}

export const namesOf = (bundles: readonly PluginBundle[]): NamedBundle[] =>
  bundles.map(({ name, code, exports }) => ({ name, exports, hash: sha256(code) }));

function intact(file: string, hash: string): Buffer | undefined {
  try {
    const bytes = readFileSync(file);
    return sha256(bytes) === hash ? bytes : undefined;
  } catch {
    return undefined;
  }
}

function writeModule(file: string, content: string | Buffer): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, content, { mode: 0o600 });
  linkOwnModules(dirname(file));
}
