import { createHmac, randomBytes } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { sha256 } from "../../runtime/abi/hash.js";
import { MAX_KEY_BYTES, readRegularText } from "../../runtime/abi/regular-file.js";
import { Cache } from "./cache.js";
import { readSealedFile, writeSealedFile } from "./sealed-file.js";

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
 * Reads the cache of this user's last build of that directory; undefined if there is none. It must be signed
 * by the user's key, which is stored elsewhere. So nobody changes a build by write access to its cache, or by
 * a cache from another job.
 * @param maker identity of the compiler: the cache of another one does not count
 */
export function readUserCache(out: string, maker: string): Cache | undefined {
  const [made, ...lines] = readSealedFile(fileOf(out), macOf)?.split("\n") ?? [];
  return made === maker ? new Cache(lines.map(entryOf)) : undefined;
}

/** Step and key, each followed by a blank, and JSON, which has no line feed. */
function entryOf(line: string): [name: string, json: string] {
  const end = line.indexOf(" ", line.indexOf(" ") + 1);
  return [line.slice(0, end), line.slice(end + 1)];
}

/** Writes the cache. If the home directory is not writable, the next build starts without a cache. */
export function writeUserCache(out: string, maker: string, cache: Cache): void {
  try {
    const content = [maker, ...[...cache.texts()].map(([name, json]) => `${name} ${json}`)].join("\n");
    mkdirSync(folder(), { recursive: true, mode: 0o700 });
    writeSealedFile(fileOf(out), content, macOf, { mode: 0o600 });
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
