import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { sha256 } from "../../runtime/abi/hash.js";
import { MAX_KEY_BYTES, readRegularText } from "../../runtime/abi/regular-file.js";
import type { BuildCacheEntry } from "./build-cache.js";

/** Maximum number of directories with a cached build, 20 MB each for 20,000 routes; the oldest is removed. */
const MOST = 16;

/** Base directory; a relative path counts as unset, as the XDG Base Directory Specification requires. */
function under(variable: string, fallback: string): string {
  const named = process.env[variable] ?? "";
  return join(isAbsolute(named) ? named : join(homedir(), fallback), "gwc");
}

const folder = () => join(under("XDG_CACHE_HOME", ".cache"), "builds");
const fileOf = (out: string) => join(folder(), sha256(resolve(out)));

/**
 * Reads the cache of this user's last build of that directory. It must be signed by the user's key, which is
 * stored elsewhere. So nobody changes a build by write access to its cache, or by a cache from another job.
 */
export function readBuildCache(out: string): BuildCacheEntry | undefined {
  try {
    const text = readRegularText(fileOf(out));
    const end = text.indexOf("\n");
    const content = text.slice(end + 1);
    const [given, own] = [text.slice(0, end), macOf(content)].map((mac) => Buffer.from(mac));
    if (!given || !own || given.length !== own.length || !timingSafeEqual(given, own)) return undefined;
    const [first = "", ...lines] = content.split("\n");
    // Hash, blank, and JSON, which has no line feed.
    const files = lines.map((line): [string, string] => [
      line.slice(0, line.indexOf(" ")),
      line.slice(line.indexOf(" ") + 1),
    ]);
    return { ...(JSON.parse(first) as Omit<BuildCacheEntry, "files">), files: new Map(files) };
  } catch {
    return undefined;
  }
}

/** Writes the cache. If the home directory is not writable, the next build starts without a cache. */
export function writeBuildCache(out: string, { files, ...kept }: BuildCacheEntry): void {
  try {
    const content = [JSON.stringify(kept), ...[...files].map(([key, json]) => `${key} ${json}`)].join("\n");
    mkdirSync(folder(), { recursive: true, mode: 0o700 });
    const next = join(folder(), `next-${randomBytes(8).toString("hex")}`);
    writeFileSync(next, `${macOf(content)}\n${content}`, { mode: 0o600 });
    renameSync(next, fileOf(out));
    removeOldest();
  } catch {
    // The build does not depend on the cache.
  }
}

/** @throws Error if there is no key that only this user can read */
function macOf(content: string): string {
  const directory = under("XDG_CONFIG_HOME", ".config");
  const path = join(directory, "build.key");
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  try {
    writeFileSync(path, randomBytes(32).toString("hex"), { flag: "wx", mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  const stat = lstatSync(path);
  if (!stat.isFile() || (stat.mode & 0o077) !== 0 || stat.uid !== process.getuid?.())
    throw new Error(`${path} is not this user's alone`);
  const key = readRegularText(path, MAX_KEY_BYTES);
  if (key.length !== 64) throw new Error(`${path} is no key`);
  return createHmac("sha256", key).update(content).digest("hex");
}

function removeOldest(): void {
  const files = readdirSync(folder()).map((name) => join(folder(), name));
  const byAge = files
    .map((path) => ({ path, time: lstatSync(path).mtimeMs }))
    .sort((a, b) => b.time - a.time);
  for (const { path } of byAge.slice(MOST)) rmSync(path, { force: true });
}
