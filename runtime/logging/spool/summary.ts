import { readdir, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Destination } from "../../abi/delivery.js";
import { deliveredIn, type ShipperState } from "./cursor.js";
import {
  addressOf,
  DESTINATION_FILE,
  damagedIn,
  foldersIn,
  readJson,
  SHIPPER_FILE,
  segmentsOf,
} from "./layout.js";
import { countEntries, timeOfEntry } from "./segment-reader.js";
import { isAlive, isWriting } from "./writer-name.js";

export interface SpoolSummary {
  readonly id: string;
  readonly kind: string;
  /** Address of the receiver, for people. */
  readonly address: string;
  readonly entries: number;
  readonly bytes: number;
  readonly segments: number;
  /** Time of the oldest undelivered entry, ISO 8601; absent if there is none. */
  readonly oldest?: string;
  readonly shipper?: { readonly pid: number; readonly worker: number; readonly epoch: number };
  /** Error of the last delivery attempt; absent after a success. */
  readonly error?: string;
  /** Segments that are kept because a part of them could not be read. */
  readonly damaged: readonly string[];
}

const UNKNOWN = { kind: "unknown", settings: {} };
const NOT_DESCRIBED = `its ${DESTINATION_FILE} does not describe a destination`;

/** @throws if the directory exists and cannot be read: it would look empty */
export async function summarize(directory: string): Promise<SpoolSummary[]> {
  await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
  const names = await foldersIn(directory);
  const found = await Promise.all(names.map((name) => summaryIn(join(directory, name))));
  return found.filter((one) => one !== undefined);
}

/** Summarizes a folder. Records without a description count too; otherwise they would go unnoticed. */
async function summaryIn(folder: string): Promise<SpoolSummary | undefined> {
  const destination = readJson<Partial<Destination> | null>(join(folder, DESTINATION_FILE));
  const { kind, settings } = destination ?? {};
  if (typeof kind === "string" && typeof settings === "object" && settings !== null)
    return summaryOf(folder, { kind, settings });
  const found = await summaryOf(folder, UNKNOWN);
  return found.segments + found.damaged.length === 0 ? undefined : { ...found, error: NOT_DESCRIBED };
}

async function summaryOf(folder: string, destination: Omit<Destination, "id">): Promise<SpoolSummary> {
  const delivered = deliveredIn(folder);
  const segments = await segmentsOf(folder);
  let [entries, bytes, oldest] = [0, 0, Number.POSITIVE_INFINITY];
  for (const segment of segments) {
    const from = delivered(segment);
    if (segment.bytes <= from) continue;
    bytes += segment.bytes - from;
    const count = await countEntries(segment.file, from);
    if (count === 0) continue;
    entries += count;
    oldest = Math.min(oldest, (await timeOfEntry(segment.file, from)) ?? oldest);
  }
  const state = readJson<ShipperState>(join(folder, SHIPPER_FILE));
  return {
    id: basename(folder),
    kind: destination.kind,
    address: addressOf(destination.settings),
    entries,
    bytes,
    segments: segments.length,
    damaged: await damagedIn(folder),
    ...(Number.isFinite(oldest) && { oldest: new Date(oldest).toISOString() }),
    ...shipperOf(state),
    ...(state?.error !== undefined && { error: state.error }),
  };
}

function shipperOf(state: ShipperState | undefined): Pick<SpoolSummary, "shipper"> {
  if (state === undefined || state.pid === 0 || !isAlive(state.pid)) return {};
  const { pid, worker, epoch } = state;
  return { shipper: { pid, worker, epoch } };
}

/** Returns the removed entries. A batch in flight may still arrive; entries appended meanwhile stay. */
export async function purge(directory: string, id: string): Promise<number> {
  const folder = join(directory, id);
  const delivered = deliveredIn(folder);
  let entries = 0;
  const segments = await segmentsOf(folder);
  for (const segment of segments) {
    entries += await countEntries(segment.file, delivered(segment));
    await rm(segment.file, { force: true });
  }
  const state = readJson<ShipperState>(join(folder, SHIPPER_FILE));
  for (const file of await damagedIn(folder)) await rm(file, { force: true });
  const used = segments.some(({ writer }) => isWriting(writer)) || shipperOf(state).shipper !== undefined;
  if (!used) await rm(folder, { recursive: true, force: true });
  return entries;
}
