/** Names of indexes, as modules and spools have them. */
export interface IndexSettings {
  /** Name, or what it is made of: `%Y`, `%m`, `%d` and `%H` are the record's time in UTC. */
  readonly index: string;
  /** Where variables are in it: the same with "other" in their places, and how many names one worker makes of them, dates apart. */
  readonly other?: string;
  readonly maxIndexes?: number;
}

/** A name is made of the record's moment, and of what the module made of the variables: a byte string; undefined: nothing. */
export type IndexName = (now: number, text?: string) => string;

interface Known {
  hour: number;
  name: string;
}

const HOUR_MS = 3_600_000;
/** A part of the date, a character of a name, and any other. */
const PIECES = /%[YmdH]|[a-z0-9._-]|[\s\S]/g;
/** Elasticsearch, "Create index": no name begins with these, and none is longer. */
const FIRST = /^[-_.]+/;
const LONGEST = 255;

/** Names whose number is bounded: a client that chooses a variable may not make as many indexes as it likes. */
export function indexNames({ index, other = index, maxIndexes = 1 }: IndexSettings): IndexName {
  const known = new Map<string, Known>();
  const others: Known = { hour: -1, name: "" };
  return (now, text = other) => {
    let found = text === other ? others : known.get(text);
    if (found === undefined && known.size < maxIndexes) {
      found = { hour: -1, name: "" };
      known.set(text, found);
    }
    return found === undefined ? nameAt(others, other, now) : nameAt(found, text, now);
  };
}

/** Made anew each hour. */
function nameAt(known: Known, text: string, now: number): string {
  const hour = Math.floor(now / HOUR_MS);
  if (known.hour !== hour) {
    known.hour = hour;
    known.name = named(text, now);
  }
  return known.name;
}

/** In lower case, with "_" in the place of what no name may have. */
function named(text: string, now: number): string {
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
  return name.replace(FIRST, "").slice(0, LONGEST) || "other";
}
