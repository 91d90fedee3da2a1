import { configPath, readOrigin } from "./config-path.js";
import { locationText, type Span } from "./diagnostic.js";
import type { ConfigPath } from "./plan.js";
import { adminPath, type Resource, type ResourceName } from "./resource.js";
import type { Path } from "./source.js";

/** Source locations of config paths, kept outside the plan so that inserting a line in a file does not change it. */
export interface SourceLocations {
  span(origin: ConfigPath): Span | undefined;
  /** Finds the part, or the nearest configured part around it. @returns undefined if there is no such resource */
  written(origin: ConfigPath): ConfigPart | undefined;
  /**
   * Returns "shop.yaml:31:9"; for a resource of the store, without lines to open, "admin routes/1
   * plugins.syslog".
   */
  text(origin: ConfigPath): string;
}

export interface ConfigPart {
  owner: ResourceName;
  path: Path;
  /** False if it is only the nearest part around the config path. */
  isWhole: boolean;
  span(): Span;
}

/** Admin bodies in spans: "PUT /gw/admin/routes/1" during the write, "admin routes/1" once stored. */
const ADMIN = /^(?:[A-Z]+ \/gw\/admin\/|admin )/;

type Found = Pick<Resource, "spans" | "value">;

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
      if (!ADMIN.test(place.file)) return locationText(place);
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

export function locationsOf(resources: readonly Resource[]): SourceLocations {
  const byName = new Map(resources.map((resource) => [configPath(resource), resource]));
  return locationsBy((kind, id) => byName.get(configPath({ kind, id })));
}
