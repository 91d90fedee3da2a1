import { variableOf } from "../../runtime/abi/environment.js";
import { sha256 } from "../../runtime/abi/hash.js";
import { LazySpans } from "../1-parse/spans.js";
import { valueAt } from "../1-parse/values.js";
import { secretPaths } from "../2-validate/annotations.js";
import { type DeploymentPart, deploymentPart } from "../2-validate/configuration.js";
import { ownId } from "../2-validate/resource.js";
import { idSpan } from "../3-resolve/duplicates.js";
import type { Absence } from "../3-resolve/inventory.js";
import { memoryStep, type Step } from "../cache/cache.js";
import type { Diagnostic } from "../model/diagnostic.js";
import type { Environment } from "../model/input.js";
import { type Kind, kinds, type Resource } from "../model/resource.js";
import type { SourceText, Spanned, Spans } from "../model/source.js";

/** Result of steps 1 and 2 for a file, or for a resource of the store. */
export interface FrontendPart {
  resources: Resource[];
  /** Existing resources with errors, or deleted by force. */
  absences: { kind: Kind; id: string; absence: Absence }[];
  diagnostics: Diagnostic[];
  partial?: Resource[];
  deployment?: DeploymentPart | undefined;
  names: string[];
  document?: Spanned;
  folder?: string | undefined;
  /** Set if the file, or a part of it, could not be parsed. */
  isCut?: boolean;
}

/** Result of reading a file without diagnostics and secrets, as plain data. */
interface PlainFile {
  /** Hashes of variables whose values it contains; null for an unset variable. */
  environment: Readonly<Record<string, string | null>>;
  value: Record<string, unknown>;
  hasDeployment: boolean;
  /** Span of each resource's id, in order: [line, column, line, column]. */
  ids: readonly (readonly [number, number, number, number])[];
}

/** Step of resources of the store. Their key is their value, which is replaced and never changed. */
export const STORED = memoryStep<{ name: string; part: FrontendPart }>("stored");

export const fileKey = ({ name, folder = "", format, text }: SourceText): string =>
  sha256(JSON.stringify([name, folder, format, sha256(text)]));

/**
 * Step of a file. Unchanged texts need no parsing and no check. A reload finds unchanged resources by their
 * identity; a build has their values as JSON. Only diagnostics and source maps need spans; for them the file
 * is parsed.
 * @param document parses the text alone, with the environment's values
 */
export const fileStep = (
  source: SourceText,
  environment: Environment,
  document: () => Spanned | undefined,
): Step<FrontendPart, PlainFile> => {
  const variable = (name: string) => {
    const value = variableOf(environment, name);
    return value === undefined ? null : sha256(value);
  };
  const isSame = ([name, hash]: [string, string | null]) => variable(name) === hash;
  return {
    name: "file",
    toPlain: (part) => plainFile(part, variable),
    fromPlain: (file) =>
      Object.entries(file.environment).every(isSame) ? partOf(file, source, document) : undefined,
  };
};

/** @returns undefined for a file that must be read each time */
function plainFile(part: FrontendPart, variable: (name: string) => string | null): PlainFile | undefined {
  const { document, resources, absences, partial = [], isCut = false, diagnostics, names, deployment } = part;
  const value = document?.value;
  if (typeof value !== "object" || value === null || isCut) return undefined;
  if (diagnostics.length + absences.length + partial.length > 0) return undefined;
  // JSON has no -0.
  if (holdsSecret(value) || hasNegativeZero(value)) return undefined;
  return {
    environment: Object.fromEntries(names.map((name) => [name, variable(name)])),
    value: value as PlainFile["value"],
    hasDeployment: deployment !== undefined,
    ids: resources.map((resource) => {
      const { start, end } = idSpan(resource);
      return [start.line, start.column, end.line, end.column];
    }),
  };
}

/** A plain-text secret, also as a default, must not leave its file. */
function holdsSecret(value: object): boolean {
  return secretPaths(value).some((path) => !/^\$\{\{\s*\w+\s*\}\}$/.test(String(valueAt(value, path))));
}

function hasNegativeZero(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return Object.is(value, -0);
  return Object.values(value).some(hasNegativeZero);
}

function partOf(plain: PlainFile, source: SourceText, document: () => Spanned | undefined): FrontendPart {
  const { value, ids, environment, hasDeployment } = plain;
  const spans = new LazySpans(() => spansOf(document(), source));
  const resources: Resource[] = [];
  for (const kind of kinds()) {
    const list = value[kind];
    if (!Array.isArray(list)) continue;
    for (const [index, item] of list.entries()) {
      const at = ids[resources.length] ?? [1, 1, 1, 1];
      const known = { field: kind === "consumers" ? "username" : "id", file: source.name, at };
      const id = ownId(kind, item) ?? "";
      resources.push({ value: item, spans: spans.below([kind, index], known), kind, id, from: "file" });
    }
  }
  return {
    ...{ resources, absences: [], diagnostics: [], partial: [], isCut: false },
    deployment: hasDeployment ? { value: deploymentPart(value), spans } : undefined,
    names: Object.keys(environment).sort(),
    document: { value, spans },
    folder: source.folder,
  };
}

function spansOf(document: Spanned | undefined, { name }: SourceText): Spans {
  if (document === undefined) throw new Error(`${name} was a document when it was read first`);
  return document.spans;
}
