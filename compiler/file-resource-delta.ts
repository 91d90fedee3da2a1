import type { CompileInput } from "./input.js";
import type { Path } from "./parse/source.js";
import { idSpan } from "./resolve/duplicates.js";
import type { Kind, Resource } from "./resolve/resource.js";
import { maskedPaths } from "./validate/masked.js";
import { VariableTexts } from "./variable-texts.js";

/** A resource of the files, for reads through the admin API. */
export interface StaticResource {
  kind: Kind;
  id: string;
  value: Record<string, unknown>;
  /** "gateway.yaml:10:5". */
  place: string;
  /** Where its secrets stand, when it has some. */
  secrets?: Path[];
  /** Texts that variables are in, as they are written. */
  written?: [Path, string][];
}

/** The resources of the files, told as what is another than before: 20,000 of them take half a second to pass between threads. */
export interface FileResourceDelta {
  /** "routes/shop" of every one, in the order of the files. */
  names: string[];
  /** Those that are others than in the load or the reload before that was accepted; all of them after a load. */
  put: StaticResource[];
}

/** By "routes/shop". */
export const byName = (resources: readonly Resource[]): ReadonlyMap<string, Resource> =>
  new Map(resources.map((resource) => [`${resource.kind}/${resource.id}`, resource]));

/** @param before of the load or reload before */
export function fileResourceDelta(
  resources: ReadonlyMap<string, Resource>,
  before: ReadonlyMap<string, Resource>,
  files: Pick<CompileInput, "sources" | "environment">,
): FileResourceDelta {
  const references = new VariableTexts(files);
  const changed = [...resources].filter(([name, resource]) => before.get(name) !== resource);
  return {
    names: [...resources.keys()],
    put: changed.map(([, resource]) => staticResource(resource, references)),
  };
}

function staticResource(resource: Resource, references: VariableTexts): StaticResource {
  const { file, start } = idSpan(resource);
  const { value, written } = references.of(resource);
  const secrets = maskedPaths(resource.kind, value);
  return {
    kind: resource.kind,
    id: resource.id,
    value: value as Record<string, unknown>,
    place: `${file}:${start.line}:${start.column}`,
    ...(secrets.length > 0 && { secrets }),
    ...(written.length > 0 && { written }),
  };
}
