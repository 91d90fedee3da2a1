import type { Span } from "../diagnostics/diagnostic.js";
import type { Path } from "../parse/source.js";
import { adminPath, type Resource, type ResourceName } from "../resolve/resource.js";
import { configPath, readOrigin } from "./config-path.js";
import type { ConfigPath } from "./plan.js";

/** Where parts of a plan stand, which is apart from the plan: a line more in a file moves places and changes no plan. */
export interface SourceLocations {
  span(origin: ConfigPath): Span | undefined;
  /** That part as far as it is written; undefined where there is no such resource. */
  written(origin: ConfigPath): ConfigPart | undefined;
  /** "shop.yaml:31:9"; of a resource of the store, which has no lines that anybody can open, "admin routes/1 plugins.syslog". */
  text(origin: ConfigPath): string;
}

/** A part of the configuration, or the nearest that is written around it. */
export interface ConfigPart {
  owner: ResourceName;
  /** The way to it in its resource. */
  path: Path;
  /** False where that is less than the origin says. */
  isWhole: boolean;
  span(): Span;
}

/** What an admin body is called in spans: "PUT /gw/admin/routes/1" while it is written, "admin routes/1" once stored. */
const ADMIN = /^(?:[A-Z]+ \/gw\/admin\/|admin )/;

type Found = Pick<Resource, "spans" | "value">;

/** @param find the resource of a name, undefined where there is none */
export function locationsBy(find: (kind: string, id: string) => Found | undefined): SourceLocations {
  const span = (origin: ConfigPath) => {
    const read = readOrigin(origin);
    return read && find(read.owner.kind, read.owner.id)?.spans.key(read.path);
  };
  return {
    span,
    written(origin) {
      const read = readOrigin(origin);
      const found = read && find(read.owner.kind, read.owner.id);
      if (read === undefined || found === undefined) return undefined;
      const path = writtenPath(found.value, read.path);
      return {
        ...{ owner: read.owner, path, isWhole: path.length === read.path.length },
        span: () => found.spans.key(path),
      };
    },
    text(origin) {
      const place = span(origin);
      if (place === undefined) return origin;
      const { file, start } = place;
      if (!ADMIN.test(file)) return `${file}:${start.line}:${start.column}`;
      return `admin ${origin.replace(/^[^/]+/, adminPath)}`;
    },
  };
}

function writtenPath(value: unknown, path: Path): Path {
  let at = value;
  const missing = path.findIndex((step) => {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, step)) return true;
    at = (at as Record<string | number, unknown>)[step];
    return false;
  });
  return missing < 0 ? path : path.slice(0, missing);
}

/** Of everything that a compile has read. */
export function locationsOf(resources: readonly Resource[]): SourceLocations {
  const byName = new Map(resources.map((resource) => [configPath(resource), resource]));
  return locationsBy((kind, id) => byName.get(configPath({ kind, id })));
}

/** For a finding about an origin whose resource is not known. */
export function unknownSpan(origin: ConfigPath): Span {
  const start = { line: 1, column: 1 };
  return { file: origin, start, end: start };
}
