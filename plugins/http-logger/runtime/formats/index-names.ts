/** Part of modules and spools. */
export interface IndexSettings {
  /** Name or template: `%Y`, `%m`, `%d` and `%H` are the record's time in UTC. */
  readonly index: string;
  /**
   * Set if the name has variables: the template with "other" in their places, and the maximum number of names
   * per worker, dates apart.
   */
  readonly other?: string;
  readonly maxIndexes?: number;
}

/** @param text value of the variables, a byte string; undefined without variables */
export type IndexName = (now: number, text?: string) => string;

interface CachedName {
  hour: number;
  name: string;
}

const HOUR_MS = 3_600_000;
/** Date part, valid character, or any other. */
const PIECES = /%[YmdH]|[a-z0-9._-]|[\s\S]/g;
/** Elasticsearch, "Create index": no name begins with these characters or is longer. */
const FIRST = /^[-_.]+/;
const MAX_NAME = 255;

/** Bounded number of names: clients that control a variable cannot create any number of indexes. */
export function indexNames({ index, other = index, maxIndexes = 1 }: IndexSettings): IndexName {
  const known = new Map<string, CachedName>();
  const others: CachedName = { hour: -1, name: "" };
  return (now, text = other) => {
    let found = text === other ? others : known.get(text);
    if (found === undefined && known.size < maxIndexes) {
      found = { hour: -1, name: "" };
      known.set(text, found);
    }
    return found === undefined ? nameAt(others, other, now) : nameAt(found, text, now);
  };
}

/** Computes the name once an hour. */
function nameAt(known: CachedName, text: string, now: number): string {
  const hour = Math.floor(now / HOUR_MS);
  if (known.hour !== hour) {
    known.hour = hour;
    known.name = sanitizedName(text, now);
  }
  return known.name;
}

/** Lower-case name with "_" for invalid characters. */
function sanitizedName(text: string, now: number): string {
  const iso = new Date(now).toISOString();
  const parts: Readonly<Record<string, string>> = {
    "%Y": iso.slice(0, 4),
    "%m": iso.slice(5, 7),
    "%d": iso.slice(8, 10),
    "%H": iso.slice(11, 13),
  };
  const name = text.replace(PIECES, (piece) => {
    if (piece.length > 1) return parts[piece] as string;
    const lower = piece.toLowerCase();
    return /[a-z0-9._-]/.test(lower) ? lower : "_";
  });
  return name.replace(FIRST, "").slice(0, MAX_NAME) || "other";
}
