import { setFlagsFromString } from "node:v8";
import { type DescribedParameter, inQuery } from "../../process/operation.js";
import type { StaticResource } from "../resource-catalog.js";
import type { SecretMasking } from "../secret-masking.js";
import type { JsonObject, StoredResource } from "../store/store.js";
import { type AdminKind, adminKind, pathOf } from "./kinds.js";

const SMALLEST_PAGE = 10;
const LARGEST_PAGE = 500;
const FILTERS_OF_ROUTES = ["service_id", "upstream_id"];
/** Maximum length of the patterns `name` and `uri`: control evaluates them for any key, also a viewer's. */
const MAX_PATTERN = 256;
/** Timeout of all matches of a list: one takes at most pattern × text steps, but 100,000 texts may exist. */
const MATCHING_MS = 500;

// Enables the flag `l` of patterns: the linear engine of V8, which rejects look-around and back references.
setFlagsFromString("--enable-experimental-regexp-engine");

export const LIST_PARAMETERS: readonly (DescribedParameter & {
  /** Kind that supports the parameter; default: all. */
  of?: string;
})[] = [
  inQuery("page", "Page number, from 1; only with page_size. A page past the end is empty.", {
    type: "integer",
  }),
  inQuery("page_size", "Number of resources in a page; only with page.", {
    type: "integer",
    minimum: SMALLEST_PAGE,
    maximum: LARGEST_PAGE,
  }),
  ...["name", "uri"].map((name) =>
    inQuery(
      name,
      `Only resources whose ${name} this regular expression matches; it must run in linear time.`,
      {
        type: "string",
        maxLength: MAX_PATTERN,
      },
    ),
  ),
  inQuery("label", "Only resources with a label of this name.", { type: "string" }),
  {
    ...inQuery("filter", `Only routes with this ${FILTERS_OF_ROUTES.join(" or ")}: "service_id=shop".`, {
      type: "string",
    }),
    of: "routes",
  },
];

type Item = StoredResource | StaticResource;
type Value = Record<string, unknown>;

export const keyOf = ({ kind, id }: { kind: string; id: string }) => `/gw/${pathOf(kind)}/${id}`;

/** Returns the value of a resource for a response: masks secrets and omits fields that its kind hides. */
export function openValue(item: Item, redaction: SecretMasking): JsonObject | null {
  const { hidden = [] } = adminKind(item.kind) ?? {};
  const masked = redaction.masked(item);
  if (hidden.length === 0 || masked === null) return masked;
  return Object.fromEntries(Object.entries(masked).filter(([field]) => !hidden.includes(field)));
}

export function shown(item: Item, redaction: SecretMasking): object {
  const value = openValue(item, redaction);
  if ("createdIndex" in item) {
    const { createdIndex, modifiedIndex } = item;
    return { key: keyOf(item), value, createdIndex, modifiedIndex };
  }
  // A resource from a file has no revision in the store.
  return { key: keyOf(item), value, createdIndex: 0, modifiedIndex: 0, static: item.place };
}

export function list(
  items: readonly Item[],
  kind: AdminKind,
  query: URLSearchParams,
  redaction: SecretMasking,
): object | string {
  // Matches the shown values: matching secrets or values of variables would reveal them letter by letter.
  const shownOf = shownValues(redaction);
  let found = [...items];
  for (const field of ["name", "uri"] as const) {
    const pattern = query.get(field);
    if (pattern === null) continue;
    const matches = matcher(pattern);
    if (!matches) return `invalid ${field}: not a regular expression that runs in linear time`;
    for (const item of found) shownOf(item);
    const end = Date.now() + MATCHING_MS;
    found = found.filter((item) => Date.now() < end && textsOf(shownOf(item), field).some(matches));
    if (Date.now() >= end) return `invalid ${field}: matching takes too long`;
  }
  const label = query.get("label");
  if (label !== null) {
    found = found.filter((item) => Object.hasOwn((shownOf(item)["labels"] as object) ?? {}, label));
  }
  const filter = query.get("filter");
  if (filter !== null && kind.segment === "routes")
    found = filtered(found, new URLSearchParams(filter), shownOf);
  const paged = page(found, query.get("page"), query.get("page_size"));
  if (typeof paged === "string") return paged;
  return { total: found.length, list: paged.map((item) => shown(item, redaction)) };
}

function shownValues(redaction: SecretMasking): (item: Item) => Value {
  const made = new Map<Item, Value>();
  return (item) => {
    let value = made.get(item);
    if (value === undefined) made.set(item, (value = (openValue(item, redaction) ?? {}) as Value));
    return value;
  };
}

function matcher(pattern: string): ((text: string) => boolean) | undefined {
  if (pattern.length > MAX_PATTERN) return undefined;
  try {
    const regex = new RegExp(pattern, "l");
    return (text) => regex.test(text);
  } catch {
    return undefined;
  }
}

function textsOf(value: Value, field: "name" | "uri"): string[] {
  const texts = field === "name" ? [value["name"]] : [value["uri"], ...((value["uris"] as unknown[]) ?? [])];
  return texts.filter((text): text is string => typeof text === "string");
}

/** Compares exactly: an integer id never equals the text. */
function filtered(items: Item[], filter: URLSearchParams, shownOf: (item: Item) => Value): Item[] {
  const wanted = [...filter].filter(([name]) => FILTERS_OF_ROUTES.includes(name));
  return items.filter((item) => wanted.every(([name, text]) => shownOf(item)[name] === text));
}

/** Applies only if both are numbers. A page past the end is empty. */
function page(items: Item[], page: string | null, size: string | null): Item[] | string {
  const [number, length] = [numberOf(page), numberOf(size)];
  if (number === undefined || length === undefined) return items;
  if (length < SMALLEST_PAGE || length > LARGEST_PAGE) {
    return `page_size must be between ${SMALLEST_PAGE} and ${LARGEST_PAGE}`;
  }
  const start = (Math.max(1, Math.floor(number)) - 1) * Math.floor(length);
  return items.slice(start, start + Math.floor(length));
}

function numberOf(text: string | null): number | undefined {
  return text !== null && /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined;
}
