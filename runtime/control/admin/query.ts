import { type DescribedParameter, inQuery } from "../../process/operation.js";
import type { ChangeOrigin } from "../store/store.js";
import type { KeyIdentity } from "./authentication.js";
/** Returns the query after the first "?" of a target, so that all readers see the same arguments. */
export const queryOf = (url: string): URLSearchParams =>
  new URLSearchParams(url.includes("?") ? url.slice(url.indexOf("?") + 1) : "");

export type DryRunDetail = "effect" | "module";
const ASKED: readonly string[] = ["effect", "module"] satisfies DryRunDetail[];

export const dryRunDetail = (query: URLSearchParams): DryRunDetail | undefined => {
  const [given, ...more] = query.getAll("dry_run");
  return given !== undefined && more.length === 0 && ASKED.includes(given)
    ? (given as DryRunDetail)
    : undefined;
};

/** Reports whether a write is a dry run; false for a repeated argument, which is rejected. */
export function isDryRun(query: URLSearchParams): boolean {
  const given = query.getAll("dry_run");
  return given.length === 1 && (given[0] === "true" || ASKED.includes(given[0] ?? ""));
}

const MAX_NAME = 64;

/** Rejects a query with a repeated argument: two readers could use different values. */
export function queryFault(query: URLSearchParams): string | undefined {
  const seen = new Set<string>();
  for (const name of query.keys()) {
    if (seen.has(name)) return `invalid argument ${name.slice(0, MAX_NAME)}: given more than once`;
    seen.add(name);
  }
  return undefined;
}

const MAX_NOTE = 1_000;
export const NOTE_PARAMETERS: readonly DescribedParameter[] = [
  inQuery("note", "Reason for the change, stored in the history.", { type: "string", maxLength: MAX_NOTE }),
  {
    in: "header",
    name: "X-Gw-Note",
    description: "The same, if note is absent.",
    schema: { type: "string", maxLength: MAX_NOTE },
  },
];
/** Controls, lone surrogates, invisible characters that reorder or split text (U+202E, U+200B, U+2028). */
const CONTROL = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/**
 * Reads the reason of a change from `?note=` or the header X-Gw-Note (UTF-8); null if neither is given.
 * @param field header as Node decodes it, one character a byte
 */
export function noteOf(
  query: URLSearchParams,
  field: string | undefined,
): { note: string | null } | { fault: string } {
  const written =
    query.get("note") ?? (field === undefined ? null : Buffer.from(field, "latin1").toString("utf8"));
  const note = written?.trim() ?? "";
  if (note.length > MAX_NOTE) return { fault: `invalid note: longer than ${MAX_NOTE} characters` };
  if (CONTROL.test(note) || note.includes("\ufffd"))
    return { fault: "invalid note: it contains control characters or format characters, or is not UTF-8" };
  return { note: note === "" ? null : note };
}

export function originOf(
  { method, key, address }: { method: string; key: KeyIdentity | undefined; address: string },
  note: string | null,
): ChangeOrigin {
  return { key: key?.name ?? null, address, note, method: method as ChangeOrigin["method"] };
}
