import type { Path } from "../parse/source.js";
import type { ResourceName } from "../resolve/resource.js";
import type { ConfigPath } from "./plan.js";

/** Keys that stand behind a dot as they are; others, and indices, stand in brackets. */
const BARE = /^[A-Za-z_$][\w$-]*$/;
const NOTE = /^[a-z_]+\/[\w.-]+(?: (?:\.?[A-Za-z_$][\w$-]*|\[\d+\]|\["(?:[^"\\]|\\.)*"\])+)?(?=$|[,; ])/;
const SETTINGS = /^\S+ plugins(?:\.[A-Za-z_$][\w$-]*|\["(?:[^"\\]|\\.)*"\])/;
const STEP = /\.?([A-Za-z_$][\w$-]*)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/y;

/**
 * Address of a part of the configuration by its meaning: "routes/shop plugins.proxy-rewrite.headers". It stays the same
 * whatever file and line the part stands in, and so does all that is made of it; `places.ts` finds file and line.
 */
export function configPath({ kind, id }: ResourceName, path: Path = []): ConfigPath {
  if (path.length === 0) return `${kind}/${id}`;
  const steps = path.map((step, i) => stepText(step, i === 0));
  // Joined: a text that is added up stays a tree of its pieces until somebody reads it, and a plan holds ten of these a route.
  return [kind, "/", id, " ", ...steps].join("");
}

/** Address of a part of that part. */
export function below(origin: ConfigPath, path: Path): ConfigPath {
  if (path.length === 0) return origin;
  const isOfWhole = !origin.includes(" ");
  const steps = path.map((step, i) => stepText(step, isOfWhole && i === 0));
  return `${origin}${isOfWhole ? " " : ""}${steps.join("")}`;
}

function stepText(step: string | number, isFirst: boolean): string {
  if (typeof step === "number") return `[${step}]`;
  if (!BARE.test(step)) return `[${JSON.stringify(step)}]`;
  return isFirst ? step : `.${step}`;
}

/** Address of a plugin's settings, by that of a part of them; another address as it is. */
export function settingsOf(origin: ConfigPath): ConfigPath {
  return SETTINGS.exec(origin)?.[0] ?? origin;
}

/** The address that a note of a module begins with: "routes/shop plugins.response-rewrite.filters[0], once" has one. */
export function readNote(note: string): ConfigPath | undefined {
  return NOTE.exec(note)?.[0];
}

/** The other way round; undefined for a text that is no address. */
export function readOrigin(origin: ConfigPath): { owner: ResourceName; path: Path } | undefined {
  const [, kind, id, rest = ""] = /^([a-z_]+)\/([\w.-]+)(?: (.+))?$/s.exec(origin) ?? [];
  if (kind === undefined || id === undefined) return undefined;
  const path: (string | number)[] = [];
  // One expression for all: to make another for each of a million addresses took 0.4 s.
  STEP.lastIndex = 0;
  while (STEP.lastIndex < rest.length) {
    const [, bare, index, quoted] = STEP.exec(rest) ?? [];
    if (bare !== undefined) path.push(bare);
    else if (index !== undefined) path.push(Number(index));
    else if (quoted !== undefined) path.push(JSON.parse(quoted) as string);
    else return undefined;
  }
  return { owner: { kind, id }, path };
}
