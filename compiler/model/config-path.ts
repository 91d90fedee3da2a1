import type { ConfigPath } from "./plan.js";
import type { ResourceName } from "./resource.js";
import type { Path } from "./source.js";

/** Keys that follow a dot unquoted; others, and indices, are in brackets. */
const BARE = /^[A-Za-z_$][\w$-]*$/;
const NOTE = /^[a-z_]+\/[\w.-]+(?: (?:\.?[A-Za-z_$][\w$-]*|\[\d+\]|\["(?:[^"\\]|\\.)*"\])+)?(?=$|[,; ])/;
const SETTINGS = /^\S+ plugins(?:\.[A-Za-z_$][\w$-]*|\["(?:[^"\\]|\\.)*"\])/;
const STEP = /\.?([A-Za-z_$][\w$-]*)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/y;

/**
 * Returns "routes/shop plugins.proxy-rewrite.headers". Neither it nor anything made from it depends on the
 * file and line of the part; `source-locations.ts` finds them.
 */
export function configPath({ kind, id }: ResourceName, path: Path = []): ConfigPath {
  if (path.length === 0) return `${kind}/${id}`;
  const steps = path.map((step, i) => stepText(step, i === 0));
  // `join` instead of `+=`: a concatenated string stays a tree of its pieces until it is read, and a plan
  // holds ten of these per route.
  return [kind, "/", id, " ", ...steps].join("");
}

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

/** Config path of a plugin's settings, from that of a part of them. Other paths are returned unchanged. */
export function settingsOf(origin: ConfigPath): ConfigPath {
  return SETTINGS.exec(origin)?.[0] ?? origin;
}

/** Config path at the start of a source comment: "routes/shop plugins.response-rewrite.filters[0], once". */
export function readNote(note: string): ConfigPath | undefined {
  return NOTE.exec(note)?.[0];
}

/** @returns undefined if the text is no config path */
export function readOrigin(origin: ConfigPath): { owner: ResourceName; path: Path } | undefined {
  const [, kind, id, rest = ""] = /^([a-z_]+)\/([\w.-]+)(?: (.+))?$/s.exec(origin) ?? [];
  if (kind === undefined || id === undefined) return undefined;
  const path: (string | number)[] = [];
  // One shared regular expression: creating one for each of a million config paths took 0.4 s.
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
