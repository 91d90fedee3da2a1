import { maskedPaths } from "../2-validate/masked.js";
import { idSpan } from "../3-resolve/duplicates.js";
import { locationText } from "../model/diagnostic.js";
import type { CompileInput } from "../model/input.js";
import type { Kind, Resource } from "../model/resource.js";
import type { Path } from "../model/source.js";
import { VariableTexts } from "../secrets/variable-texts.js";

/** Resource of the files, for reads through the admin API. */
interface StaticResource {
  kind: Kind;
  id: string;
  value: Record<string, unknown>;
  /** Location, such as "gateway.yaml:10:5". */
  place: string;
  secrets?: Path[];
  /** Texts with variables, as written in the file. */
  written?: [Path, string][];
}

/** Sent as a delta: passing all of 20,000 resources between threads takes half a second. */
export interface FileResourceDelta {
  /** Names of all resources ("routes/shop"), in the order of the files. */
  names: string[];
  /** Resources that changed since the last accepted load or reload; all of them after a load. */
  put: StaticResource[];
}

/** Resources by name, such as "routes/shop". */
export const filesByName = (resources: readonly Resource[]): ReadonlyMap<string, Resource> =>
  new Map(
    resources
      .filter(({ from }) => from === "file")
      .map((resource) => [`${resource.kind}/${resource.id}`, resource]),
  );

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
  const { value, written } = references.of(resource);
  const secrets = maskedPaths(resource.kind, value);
  return {
    kind: resource.kind,
    id: resource.id,
    value: value as Record<string, unknown>,
    place: locationText(idSpan(resource)),
    ...(secrets.length > 0 && { secrets }),
    ...(written.length > 0 && { written }),
  };
}
