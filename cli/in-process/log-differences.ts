import type { Path } from "../../compiler/model/source.js";
import { canonicalJson } from "../../runtime/abi/hash.js";
import { isObject } from "../../runtime/abi/json-object.js";
import {
  byteString,
  type ExpectedLog,
  type ShippedRecord,
} from "../../runtime/control/in-process/exchange-spec.js";
import { WIRE_HEADERS } from "../../runtime/control/in-process/wire-message.js";

export interface Mismatch {
  /** Path below `expect`. */
  path: Path;
  /** "status of the response" */
  what: string;
  /** As written in the test: plain text, not byte strings. */
  expected: unknown;
  /** Undefined if there is none. */
  actual: unknown;
}

/** Fields of the default record that depend on a clock, the machine or the wire. */
const UNCERTAIN = ["start_time", "latency", "upstream_latency", "gw_latency", "server", "record_id"];

/** Compares the expected records with the shipped ones, which are ordered by the names of their plugins. */
export function logDifferences(wanted: readonly ExpectedLog[], seen: readonly ShippedRecord[]): Mismatch[] {
  const expected = wanted.map(({ plugin }) => plugin);
  const actual = seen.map(({ plugin }) => plugin);
  if (expected.join("\n") !== actual.join("\n"))
    return [{ path: ["log"], what: "loggers that shipped a record", expected, actual }];
  return wanted.flatMap((one, i) => {
    const shipped = seen[i];
    return shipped === undefined ? [] : inRecord(["log", i], one, shipped);
  });
}

function inRecord(path: Path, wanted: ExpectedLog, { key: gotKey, record: got }: ShippedRecord): Mismatch[] {
  const { plugin, record, holds = {}, lacks = [], types = {}, text, key } = wanted;
  const found: Mismatch[] = [];
  const add = (below: Path, what: string, expected: unknown, actual: unknown) =>
    found.push({
      path: [...path, ...below],
      what: `${what} of ${plugin}`,
      expected,
      actual: textsOf(actual),
    });
  if (key !== undefined && (key === null ? undefined : byteString(key)) !== gotKey)
    add(["key"], "key", key, gotKey ?? null);
  if (text !== undefined && got !== byteString(text)) add(["text"], "text", text, got);
  if (record !== undefined) {
    const certainly = certain(got);
    if (!isEqual(certainly, bytesOf(record))) add(["record"], "record", record, certainly);
  }
  for (const [below, expected, actual] of missing(holds, got, ["holds"]))
    add(below, below.slice(1).join("."), expected, actual);
  for (const [i, name] of lacks.entries()) {
    const actual = at(got, name.split("."));
    if (actual !== undefined) add(["lacks", i], name, undefined, actual);
  }
  for (const [name, type] of Object.entries(types)) {
    const actual = at(got, name.split("."));
    const is = Number.isInteger(actual) ? "integer" : typeof actual;
    if (is !== type && !(type === "number" && is === "integer")) add(["types", name], name, type, actual);
  }
  return found;
}

/** Members that are missing or differ; further members are ignored. */
function missing(wanted: unknown, got: unknown, path: Path): [Path, unknown, unknown][] {
  if (!isObject(wanted)) return isEqual(bytesOf(wanted), got) ? [] : [[path, wanted, got]];
  return Object.entries(wanted).flatMap(([name, member]) => {
    const actual = at(got, [byteString(name)]);
    if (actual === undefined && member !== undefined) return [[[...path, name], member, actual]];
    return missing(member, actual, [...path, name]);
  });
}

const isEqual = (a: unknown, b: unknown): boolean =>
  a === b || (a !== undefined && b !== undefined && canonicalJson(a) === canonicalJson(b));

const mapped = (value: unknown, text: (text: string) => string): unknown => {
  if (typeof value === "string") return text(value);
  if (Array.isArray(value)) return value.map((item) => mapped(item, text));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [text(name), mapped(one, text)]));
};

/** Converts the texts of a record to byte strings, as the gateway has them; `textsOf` reverts it. */
const bytesOf = (value: unknown): unknown => mapped(value, byteString);
const textsOf = (value: unknown): unknown =>
  mapped(value, (text) => Buffer.from(text, "latin1").toString("utf8"));

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (part, name) =>
      typeof part === "object" && part !== null ? (part as Record<string, unknown>)[name] : undefined,
    value,
  );
}

/** The part of a record that two observers of one exchange agree on. */
export function certain(record: ShippedRecord["record"]): ShippedRecord["record"] {
  if (typeof record === "string") return record;
  const kept = Object.entries(record).filter(([name]) => !UNCERTAIN.includes(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, withoutWire(value)]));
}

/** Removes the size and the headers that depend on the wire. */
function withoutWire(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("headers" in value)) return value;
  const { size: _, headers, ...rest } = value as Record<string, unknown>;
  const kept = Object.entries(headers as object).filter(([name]) => !WIRE_HEADERS.includes(name));
  return { ...rest, headers: Object.fromEntries(kept) };
}
