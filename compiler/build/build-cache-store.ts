import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { sha256 } from "../../runtime/abi/hash.js";
import { MAX_KEY_BYTES, readRegularText } from "../../runtime/abi/regular-file.js";
import type { BuildCacheEntry } from "./build-cache.js";

/** Of so many directories what their builds leave is kept, 20 MB for 20,000 routes; the oldest goes. */
const MOST = 16;

/** A path that is not absolute counts as none, as the specification of these directories has it. */
function under(variable: string, fallback: string): string {
  const named = process.env[variable] ?? "";
  return join(isAbsolute(named) ? named : join(homedir(), fallback), "gwc");
}

const folder = () => join(under("XDG_CACHE_HOME", ".cache"), "builds");
const fileOf = (out: string) => join(folder(), sha256(resolve(out)));

/**
 * What the last build of that directory by this user has left. It is believed where it is signed by this user's key, which lies
 * apart from it: who can write to a cache, or brings one along from another job, changes no byte of a build.
 */
export function readBuildCache(out: string): BuildCacheEntry | undefined {
  try {
    const text = readRegularText(fileOf(out));
    const end = text.indexOf("\n");
    const content = text.slice(end + 1);
    const [given, own] = [text.slice(0, end), macOf(content)].map((mac) => Buffer.from(mac));
    if (!given || !own || given.length !== own.length || !timingSafeEqual(given, own)) return undefined;
    const [first = "", ...lines] = content.split("\n");
    // A hash, a blank, and JSON, which has no line feed.
    const files = lines.map((line): [string, string] => [
      line.slice(0, line.indexOf(" ")),
      line.slice(line.indexOf(" ") + 1),
    ]);
    return { ...(JSON.parse(first) as Omit<BuildCacheEntry, "files">), files: new Map(files) };
  } catch {
    return undefined;
  }
}

/** Where the home cannot be written, the next build makes everything again. */
export function writeBuildCache(out: string, { files, ...kept }: BuildCacheEntry): void {
  try {
    const content = [JSON.stringify(kept), ...[...files].map(([key, json]) => `${key} ${json}`)].join("\n");
    mkdirSync(folder(), { recursive: true, mode: 0o700 });
    const next = join(folder(), `next-${randomBytes(8).toString("hex")}`);
    writeFileSync(next, `${macOf(content)}\n${content}`, { mode: 0o600 });
    renameSync(next, fileOf(out));
    removeOldest();
  } catch {
    // Nothing that was built depends on it.
  }
}

/** @throws Error where there is no key of this user alone */
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
