import { readdir, rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Destination } from "../../abi/delivery.js";
import { positionsIn, type ShipperState } from "./cursor.js";
import {
  addressOf,
  DESTINATION_FILE,
  damagedIn,
  foldersIn,
  readJson,
  SHIPPER_FILE,
  segmentsOf,
} from "./layout.js";
import { countEntries } from "./segment-reader.js";
import { isAlive, isWriting } from "./writer-name.js";

/** What stands in the spool of a destination. */
export interface SpoolSummary {
  readonly id: string;
  readonly kind: string;
  /** Where it delivers to, for people. */
  readonly address: string;
  /** Undelivered ones. */
  readonly entries: number;
  readonly bytes: number;
  readonly segments: number;
  /** When the oldest segment with undelivered entries was begun, ISO 8601; absent when there is none. */
  readonly oldest?: string;
  /** The process that ships it; absent when none does. */
  readonly shipper?: { readonly pid: number; readonly worker: number; readonly epoch: number };
  /** Why the last try to deliver failed; absent after a success. */
  readonly error?: string;
  /** Segments that are kept since a part of them could not be read. */
  readonly damaged: readonly string[];
}

const UNKNOWN = { kind: "unknown", settings: {} };
const NOT_DESCRIBED = `its ${DESTINATION_FILE} says nothing of a destination`;

/** @throws when the directory is there and cannot be read: who asks would take it for empty */
export async function summarize(directory: string): Promise<SpoolSummary[]> {
  await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
  const names = await foldersIn(directory);
  const found = await Promise.all(names.map((name) => summaryIn(join(directory, name))));
  return found.filter((one) => one !== undefined);
}

/** Records whose description is lost count too; nobody would look for them otherwise. */
async function summaryIn(folder: string): Promise<SpoolSummary | undefined> {
  const destination = readJson<Partial<Destination> | null>(join(folder, DESTINATION_FILE));
  const { kind, settings } = destination ?? {};
  if (typeof kind === "string" && typeof settings === "object" && settings !== null)
    return summaryOf(folder, { kind, settings });
  const found = await summaryOf(folder, UNKNOWN);
  return found.segments + found.damaged.length === 0 ? undefined : { ...found, error: NOT_DESCRIBED };
}

async function summaryOf(folder: string, destination: Omit<Destination, "id">): Promise<SpoolSummary> {
  const delivered = positionsIn(folder);
  const segments = await segmentsOf(folder);
  let [entries, bytes, oldest] = [0, 0, Number.POSITIVE_INFINITY];
  for (const segment of segments) {
    const from = delivered.get(basename(segment.file)) ?? 0;
    if (segment.bytes <= from) continue;
    entries += await countEntries(segment.file, from);
    bytes += segment.bytes - from;
    const times = await stat(segment.file).catch(() => undefined);
    if (times !== undefined) oldest = Math.min(oldest, times.birthtimeMs || times.mtimeMs);
  }
  const state = readJson<ShipperState>(join(folder, SHIPPER_FILE));
  return {
    id: basename(folder),
    kind: destination.kind,
    address: addressOf(destination.settings),
    entries,
    bytes,
    segments: segments.length,
    damaged: (await damagedIn(folder)).map(({ file }) => file),
    ...(entries > 0 && Number.isFinite(oldest) && { oldest: new Date(oldest).toISOString() }),
    ...shipperOf(state),
    ...(state?.error !== undefined && { error: state.error }),
  };
}

function shipperOf(state: ShipperState | undefined): Pick<SpoolSummary, "shipper"> {
  if (state === undefined || state.pid === 0 || !isAlive(state.pid)) return {};
  const { pid, worker, epoch } = state;
  return { shipper: { pid, worker, epoch } };
}

/**
 * Removes the entries of a destination. A batch that is being sent may still arrive, and what is appended meanwhile stays.
 * @returns the undelivered entries that are gone
 */
export async function purge(directory: string, id: string): Promise<number> {
  const folder = join(directory, id);
  const delivered = positionsIn(folder);
  let entries = 0;
  const segments = await segmentsOf(folder);
  for (const segment of segments) {
    entries += await countEntries(segment.file, delivered.get(basename(segment.file)) ?? 0);
    await rm(segment.file, { force: true });
  }
  const state = readJson<ShipperState>(join(folder, SHIPPER_FILE));
  for (const { file } of await damagedIn(folder)) await rm(file, { force: true });
  const used = segments.some(({ writer }) => isWriting(writer)) || shipperOf(state).shipper !== undefined;
  if (!used) await rm(folder, { recursive: true, force: true });
  return entries;
}
