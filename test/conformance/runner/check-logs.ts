import { expect } from "vitest";
import { canonicalJson } from "../../../runtime/abi/hash.js";
import type { LogRecord, Recorded } from "../../oracle/state.js";
import { byteString, type ExpectedLog } from "./case.js";
import { OF_THE_WIRE } from "./of-the-wire.js";

/** Fields of the default record that only a clock, a machine or the wire can know. */
const UNCERTAIN = ["start_time", "latency", "upstream_latency", "gw_latency", "server", "record_id"];

/** Every expected record against those that were shipped. */
export function checkLogs(wanted: readonly ExpectedLog[], seen: readonly LogRecord[]): void {
  expect(
    seen.map(({ plugin }) => plugin),
    "loggers that shipped a record",
  ).toEqual(wanted.map(({ plugin }) => plugin));
  wanted.forEach((one, i) => {
    const log = seen[i];
    if (log !== undefined) checkLog(one, log);
  });
}

function checkLog(wanted: ExpectedLog, log: LogRecord): void {
  const { plugin, record, holds, lacks = [], types = {}, text, key } = wanted;
  if (key !== undefined) expect(log.key, `${plugin}: key`).toBe(key === null ? undefined : byteString(key));
  if (text !== undefined) expect(log.record, `${plugin}: text`).toBe(byteString(text));
  if (record !== undefined) expect(certain(log.record), plugin).toEqual(bytesOf(record));
  if (holds !== undefined) expect(log.record, plugin).toMatchObject(bytesOf(holds) as object);
  for (const path of lacks) expect(at(log.record, path.split(".")), `${plugin}: ${path}`).toBeUndefined();
  for (const [path, type] of Object.entries(types)) {
    const found = typeOf(at(log.record, path.split(".")));
    expect(type === "number" && found === "integer" ? "number" : found, `${plugin}: ${path}`).toBe(type);
  }
}

function typeOf(value: unknown): string {
  return Number.isInteger(value) ? "integer" : typeof value;
}

/** The texts of a record as byte strings, as the oracle and the gateway have them. */
function bytesOf(value: unknown): unknown {
  if (typeof value === "string") return byteString(value);
  if (Array.isArray(value)) return value.map(bytesOf);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [byteString(name), bytesOf(member)]),
  );
}

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((part, name) => (part as Recorded | undefined)?.[name], value);
}

/** What two observers of one exchange must agree on. */
function certain(record: Recorded | string): Recorded | string {
  if (typeof record === "string") return record;
  const kept = Object.entries(record).filter(([name]) => !UNCERTAIN.includes(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, withoutWire(value)]));
}

/** Sizes of whole messages count what the wire adds, and so do their fields. */
function withoutWire(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("headers" in value)) return value;
  const { size: _, headers, ...rest } = value as Recorded;
  const kept = Object.entries(headers as Recorded).filter(([name]) => !OF_THE_WIRE.includes(name));
  return { ...rest, headers: Object.fromEntries(kept) };
}

/** The same records in one order: one whose body has to be decoded first may come after one that was made later. */
export function comparableLogs(logs: readonly LogRecord[]) {
  const kept = logs.map((log) => ({ ...log, record: certain(log.record) }));
  const text = new Map(kept.map((log) => [log, canonicalJson(log)]));
  return kept.sort((a, b) => ((text.get(a) ?? "") < (text.get(b) ?? "") ? -1 : 1));
}
