import { variableOf } from "../../runtime/abi/environment.js";
import { sha256 } from "../../runtime/abi/hash.js";
import { LazySpans } from "../1-parse/spans.js";
import { valueAt } from "../1-parse/values.js";
import { secretPaths } from "../2-validate/annotations.js";
import { deploymentPart } from "../2-validate/configuration.js";
import { ownId } from "../2-validate/resource.js";
import { idSpan } from "../3-resolve/duplicates.js";
import type { CompileInput } from "../model/input.js";
import { kinds, type Resource } from "../model/resource.js";
import type { SourceText, Spanned, Spans } from "../model/source.js";
import type { FileCache } from "./file-cache.js";
import type { FrontendPart } from "./frontend.js";

/** Result of reading a file without diagnostics and secrets, as plain data. */
interface KeptFile {
  /** Hashes of variables whose values it contains; null for an unset variable. */
  environment: Readonly<Record<string, string | null>>;
  value: Record<string, unknown>;
  hasDeployment: boolean;
  /** Span of each resource's id, in order: [line, column, line, column]. */
  ids: readonly (readonly [number, number, number, number])[];
}

/**
 * Files with unchanged texts need no parsing and no check: values come from the cache. Only diagnostics and
 * source maps need spans; for them the file is parsed.
 */
export class PersistentFileCache implements FileCache<FrontendPart> {
  /** JSON of each file of this compile, by hash of text and format. */
  readonly lines: Map<string, string> = new Map();
  readonly #stored: ReadonlyMap<string, string>;
  readonly #hashOf: (source: SourceText) => string;
  #environment: CompileInput["environment"] = {};

  /** @param known `lines` of an earlier compile by the same compiler */
  constructor(hashOf: (source: SourceText) => string, known: ReadonlyMap<string, string> = new Map()) {
    this.#hashOf = hashOf;
    this.#stored = known;
  }

  begin(environment: CompileInput["environment"]): void {
    this.#environment = environment;
  }

  file(source: SourceText, read: () => FrontendPart, document: () => Spanned | undefined): FrontendPart {
    // The name is not part of the key: only diagnostics contain it, and cached files have none.
    const key = `${source.format}-${this.#hashOf(source)}`;
    const line = this.#stored.get(key);
    const kept = line === undefined ? undefined : (JSON.parse(line) as KeptFile);
    if (line !== undefined && kept && this.#isSame(kept)) {
      this.lines.set(key, line);
      return partOf(kept, source, document);
    }
    const part = read();
    const plain = keptFile(part, (name) => this.#variable(name));
    if (plain) this.lines.set(key, JSON.stringify(plain));
    return part;
  }

  stored(_: unknown, read: () => FrontendPart): FrontendPart {
    return read();
  }

  #isSame({ environment }: KeptFile): boolean {
    return Object.entries(environment).every(([name, hash]) => this.#variable(name) === hash);
  }

  #variable(name: string): string | null {
    const value = variableOf(this.#environment, name);
    return value === undefined ? null : sha256(value);
  }
}

/** @returns undefined for a file that must be read each time */
function keptFile(part: FrontendPart, variable: (name: string) => string | null): KeptFile | undefined {
  const { document, resources, absences, partial = [], isCut = false, diagnostics, names, deployment } = part;
  const value = document?.value;
  if (typeof value !== "object" || value === null || isCut) return undefined;
  if (diagnostics.length + absences.length + partial.length > 0) return undefined;
  // JSON has no -0.
  if (holdsSecret(value) || hasNegativeZero(value)) return undefined;
  return {
    environment: Object.fromEntries(names.map((name) => [name, variable(name)])),
    value: value as KeptFile["value"],
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

function partOf(kept: KeptFile, source: SourceText, document: () => Spanned | undefined): FrontendPart {
  const { value, ids, environment, hasDeployment } = kept;
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
