import { environmentReferences, substituteEnvironment, variableOf } from "../../runtime/abi/environment.js";
import { diagnostic } from "../diagnostics/report.js";
import type { Diagnostic } from "../model/diagnostic.js";
import type { Environment } from "../model/input.js";
import type { Path, Spanned, Spans } from "../model/source.js";
import { put } from "./values.js";

export interface Substitution {
  document: Spanned;
  /** Variables whose values are now part of the input, sorted, including those with a used default. */
  names: string[];
  diagnostics: Diagnostic[];
}

export interface SubstitutionOptions {
  environment: Environment;
  /** The schema marks the value (or with `key`, the key) x-runtime or x-secret: its text stays. */
  isSymbolic(path: Path, key: boolean): boolean;
  /** It is x-secret, so that no diagnostic may quote it. */
  isSecret?(path: Path, key: boolean): boolean;
}

/**
 * Replaces `${{NAME}}` in every text and key. A text remains a text: `port: ${{PORT}}` becomes "9080". The
 * given document is not changed.
 */
export function substitute(document: Spanned, options: SubstitutionOptions): Substitution {
  if (!holdsReference(document.value)) return { document, names: [], diagnostics: [] };
  const substituter = new Substituter(document, options);
  const value = substituter.visit(document.value, []);
  const spans =
    substituter.renamed.size > 0 ? new RenamedSpans(document.spans, substituter.renamed, []) : document.spans;
  return {
    document: { value, spans },
    names: [...substituter.names].sort(),
    diagnostics: substituter.diagnostics,
  };
}

const REFERENCE = "${{";

/** Quick test: most documents have no reference, and the paths of `Substituter` take 25 kB for each route. */
function holdsReference(value: unknown): boolean {
  if (typeof value === "string") return value.includes(REFERENCE);
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(holdsReference);
  return Object.entries(value).some(([key, member]) => key.includes(REFERENCE) || holdsReference(member));
}

/** Written key by the JSON of the new key's path. */
type Renamed = Map<string, string>;

class Substituter {
  readonly names = new Set<string>();
  readonly diagnostics: Diagnostic[] = [];
  readonly renamed: Renamed = new Map();
  readonly #spans: Spans;
  readonly #options: SubstitutionOptions;

  constructor(document: Spanned, options: SubstitutionOptions) {
    this.#spans = document.spans;
    this.#options = options;
  }

  /** Returns the same value if nothing changed. @param path the path as written */
  visit(value: unknown, path: Path, shown: Path = path): unknown {
    if (typeof value === "string") return this.#text(value, path, false);
    if (Array.isArray(value)) {
      const items = value.map((item, i) => this.visit(item, [...path, i], [...shown, i]));
      return items.some((item, i) => item !== value[i]) ? items : value;
    }
    if (typeof value !== "object" || value === null) return value;
    return this.#object(value as Record<string, unknown>, path, shown);
  }

  #object(value: Record<string, unknown>, path: Path, shown: Path): unknown {
    const result: Record<string, unknown> = {};
    let changed = false;
    for (const [key, member] of Object.entries(value)) {
      const name = this.#text(key, [...path, key], true);
      if (name !== key) this.renamed.set(JSON.stringify([...shown, name]), key);
      const next = this.visit(member, [...path, key], [...shown, name]);
      if (Object.hasOwn(result, name))
        this.diagnostics.push(diagnostic("GW1022", this.#spans.key([...path, key]), { key, name }));
      changed ||= name !== key || next !== member;
      put(result, name, next);
    }
    return changed ? result : value;
  }

  #text(text: string, path: Path, key: boolean): string {
    if (!text.includes(REFERENCE)) return text;
    const report = (code: string, params: Record<string, string>) =>
      this.diagnostics.push(diagnostic(code, key ? this.#spans.key(path) : this.#spans.value(path), params));
    const references = environmentReferences(text);
    if (references.length !== text.split(REFERENCE).length - 1) {
      report("GW1021", { text: this.#options.isSecret?.(path, key) ? REFERENCE : text });
      return text;
    }
    if (this.#options.isSymbolic(path, key)) return text;
    const { environment } = this.#options;
    for (const { name, fallback } of references)
      if ((variableOf(environment, name) ?? fallback) !== undefined) this.names.add(name);
    return substituteEnvironment(text, environment, (name) => report("GW1020", { name }));
  }
}

class RenamedSpans implements Spans {
  readonly #written: Spans;
  readonly #renamed: Renamed;
  readonly #root: Path;

  constructor(written: Spans, renamed: Renamed, root: Path) {
    this.#written = written;
    this.#renamed = renamed;
    this.#root = root;
  }

  value(path: Path) {
    return this.#written.value(this.#asWritten(path));
  }

  key(path: Path) {
    return this.#written.key(this.#asWritten(path));
  }

  below(path: Path): Spans {
    return new RenamedSpans(this.#written, this.#renamed, [...this.#root, ...path]);
  }

  #asWritten(path: Path): Path {
    const full = [...this.#root, ...path];
    return full.map((step, i) => this.#renamed.get(JSON.stringify(full.slice(0, i + 1))) ?? step);
  }
}
