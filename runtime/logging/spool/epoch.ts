import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { ShipperState } from "./cursor.js";
import { readJson, SHIPPER_FILE, writeJson } from "./layout.js";

/** Last epoch that was given out, beside the destinations. */
const EPOCH_FILE = "epoch.json";

/** Gives out the next epoch of a spool directory, higher than any that a shipper has used there. Makes the directory. */
export function nextEpoch(directory: string): number {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = join(directory, EPOCH_FILE);
  const used = readdirSync(directory).map(
    (name) => readJson<ShipperState>(join(directory, name, SHIPPER_FILE))?.epoch ?? 0,
  );
  const epoch = Math.max(readJson<{ epoch: number }>(file)?.epoch ?? 0, ...used) + 1;
  writeJson(file, { epoch });
  return epoch;
}
