import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Destination } from "../../abi/delivery.js";

/**
 * A spool directory has a folder for each destination:
 *
 *     <destination id>/destination.json    kind and settings, without secrets' values (`Destination`)
 *                      shipper.json        epoch and process of the shipper; the highest epoch alone advances
 *                      cursor.json         delivered offsets of each writer's segments
 *                      <writer>.<n>.seg    entries, appended by one process; n grows
 *                      damaged/            partly unreadable segments, once the rest is delivered
 *
 * A writer is named "<worker>-<pid>-<start of its process>-<number>", the latter two in base 36.
 */
export interface Segment {
  file: string;
  writer: string;
  sequence: number;
  bytes: number;
}

const SEGMENT = /^(\d+-\d+-[0-9a-z]+-[0-9a-z]+)\.(\d{8})\.seg$/;

export const DESTINATION_FILE = "destination.json";
export const SHIPPER_FILE = "shipper.json";
export const CURSOR_FILE = "cursor.json";

const BEGINNINGS = { [SHIPPER_FILE]: { epoch: 0, pid: 0, worker: 0 }, [CURSOR_FILE]: { delivered: {} } };

const DAMAGED_FOLDER = "damaged";
/** Maximum damaged segments of a destination; the oldest are removed. */
const MAX_DAMAGED = 8;

export function isSegment(name: string): boolean {
  return SEGMENT.test(name);
}

export function segmentName(writer: string, sequence: number): string {
  return `${writer}.${String(sequence).padStart(8, "0")}.seg`;
}

/** Returns the segments of a destination, each writer's in order; empty if the folder is gone. */
export async function segmentsOf(folder: string): Promise<Segment[]> {
  const found: Segment[] = [];
  for (const name of await namesIn(folder)) {
    const [, writer, sequence] = SEGMENT.exec(name) ?? [];
    if (writer === undefined) continue;
    const file = join(folder, name);
    // Another process may have delivered and removed it meanwhile.
    const size = await stat(file).then(
      (found) => found.size,
      () => undefined,
    );
    if (size !== undefined) found.push({ file, writer, sequence: Number(sequence), bytes: size });
  }
  return found.sort((a, b) => (a.writer < b.writer ? -1 : a.writer > b.writer ? 1 : a.sequence - b.sequence));
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch {
    return [];
  }
}

/** Moves a segment out of delivery. @returns its new path */
export async function moveAside(segment: Segment): Promise<string> {
  const folder = join(dirname(segment.file), DAMAGED_FOLDER);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const kept = join(folder, basename(segment.file));
  await rename(segment.file, kept);
  const all = await damagedIn(dirname(segment.file));
  for (const file of all.slice(0, Math.max(0, all.length - MAX_DAMAGED))) await rm(file, { force: true });
  return kept;
}

/** Returns the damaged segments of a destination, the oldest first. */
export async function damagedIn(folder: string): Promise<string[]> {
  const names = await namesIn(join(folder, DAMAGED_FOLDER));
  const found = await Promise.all(
    names.map(async (name) => {
      const file = join(folder, DAMAGED_FOLDER, name);
      return { file, at: (await stat(file).catch(() => undefined))?.mtimeMs ?? 0 };
    }),
  );
  return found.sort((a, b) => a.at - b.at).map(({ file }) => file);
}

/** Returns the names of the folders of a spool directory; empty if there is no directory. */
export async function foldersIn(directory: string): Promise<string[]> {
  try {
    const found = await readdir(directory, { withFileTypes: true });
    return found
      .filter((one) => one.isDirectory())
      .map(({ name }) => name)
      .sort();
  } catch {
    return [];
  }
}

/** Labels of a destination in metrics: its id, which is a hash, and its address. */
export interface DestinationLabels extends Readonly<Record<string, string>> {
  readonly destination: string;
  readonly address: string;
}

export function labelsOf(folder: string): DestinationLabels {
  const { kind, settings = {} } = readJson<Partial<Destination>>(join(folder, DESTINATION_FILE)) ?? {};
  const address = kind === undefined ? "unknown" : `${kind} ${addressOf(settings)}`.trim();
  return { destination: basename(folder), address };
}

/** Formats `host` and `port`, `brokers` with those, some with a `topic`, `path`, or `uri` without its query. */
export function addressOf(settings: Destination["settings"]): string {
  const { host, port, brokers, topic, uri, path } = settings as {
    host?: string;
    port?: number;
    brokers?: { host: string; port: number }[];
    topic?: string;
    uri?: string;
    path?: string;
  };
  if (uri !== undefined) return uri.replace(/\?.*$/s, "");
  if (path !== undefined) return path;
  const places = brokers ?? (host !== undefined && port !== undefined ? [{ host, port }] : []);
  const text = places.map((one) => `${one.host.includes(":") ? `[${one.host}]` : one.host}:${one.port}`);
  return `${text.join(",")}${topic === undefined ? "" : ` ${topic}`}`;
}

/** @returns undefined if the file is absent, not JSON or null: its owner writes it again */
export function readJson<T>(file: string): T | undefined {
  try {
    return (JSON.parse(readFileSync(file, "utf8")) ?? undefined) as T | undefined;
  } catch {
    return undefined;
  }
}

/**
 * Replaces a file atomically; only its owner may read it. On a full disk it is overwritten in place, which
 * needs no room: a spool that fills the disk must still store its cursor.
 * @param flush survives a power cut too; may block for milliseconds
 */
export function writeJson(file: string, value: unknown, flush = true): void {
  const text = `${JSON.stringify(value)}\n`;
  const next = `${file}.${process.pid}.new`;
  try {
    put(next, "w", text, flush);
    renameSync(next, file);
  } catch (error) {
    rmSync(next, { force: true });
    if (!isFull(error)) throw error;
    put(file, "r+", text.padEnd(statSync(file).size), flush);
  }
}

function put(file: string, flags: "w" | "r+", text: string, flush: boolean): void {
  const descriptor = openSync(file, flags, 0o600);
  try {
    writeSync(descriptor, text);
    if (flush) fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Reports whether the disk, the quota or the process's limit takes no more bytes. */
export function isFull(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ENOSPC" || code === "EDQUOT" || code === "EFBIG";
}

/** Creates the folder of a destination with its description; writes only changes. */
export function describeDestination(directory: string, destination: Destination): string {
  const folder = join(directory, destination.id);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, DESTINATION_FILE);
  const text = JSON.stringify(destination);
  // These files have their blocks before the disk can be full.
  for (const [name, empty] of Object.entries(BEGINNINGS))
    if (!existsSync(join(folder, name))) writeJson(join(folder, name), empty);
  if (JSON.stringify(readJson(file)) !== text) writeJson(file, destination);
  return folder;
}
