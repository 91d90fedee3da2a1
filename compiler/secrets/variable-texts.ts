import { environmentReferences, substituteEnvironment } from "../../runtime/abi/environment.js";
import type { Span } from "../model/diagnostic.js";
import type { CompileInput, Environment } from "../model/input.js";
import type { Resource } from "../model/resource.js";
import { type Path, SourceLines } from "../model/source.js";
import { valuesOf } from "./secret-values.js";

/** Mask for a text whose written form is not known: an alias or a text of several lines. */
const UNKNOWN = "***";

interface WrittenResource {
  /** Value with names of fields as they are written. */
  value: unknown;
  /** Texts with variables, as they are written. */
  written: [Path, string][];
}

interface At {
  path: Path;
  shown: Path;
}

/**
 * Texts and field names with variables, as written: reads show `${{TOKEN}}` instead of its value. Only
 * guessable values (see `valuesOf`) are shown as they are.
 */
export class VariableTexts {
  readonly #environment: Environment;
  readonly #values: readonly string[];
  readonly #lines: SourceLines;

  constructor({ sources, environment }: Pick<CompileInput, "sources" | "environment">) {
    const names = sources.flatMap(({ text }) => environmentReferences(text)).map(({ name }) => name);
    this.#environment = environment;
    this.#values = valuesOf(names, environment);
    this.#lines = new SourceLines(sources);
  }

  of(resource: Resource): WrittenResource {
    const written: [Path, string][] = [];
    if (this.#values.length === 0 || resource.from !== "file") return { value: resource.value, written };
    return { value: this.#visit(resource, resource.value, { path: [], shown: [] }, written), written };
  }

  #visit(resource: Resource, value: unknown, { path, shown }: At, found: [Path, string][]): unknown {
    if (typeof value === "string") {
      if (!this.#holdsOne(value)) return value;
      const written = this.#written(resource.spans.value(path), value);
      if (written !== value) found.push([shown, written]);
      return value;
    }
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) {
      const below = (item: number) => ({ path: [...path, item], shown: [...shown, item] });
      const items = value.map((item: unknown, at) => this.#visit(resource, item, below(at), found));
      return items.some((item, at) => item !== value[at]) ? items : value;
    }
    const members = new Map<string, unknown>();
    let isOther = false;
    for (const [name, member] of Object.entries(value)) {
      const own = [...path, name];
      const told = this.#holdsOne(name) ? this.#written(resource.spans.key(own), name) : name;
      // Two masked names must stay two fields.
      const open = members.has(told) ? `${told} ${members.size}` : told;
      const visited = this.#visit(resource, member, { path: own, shown: [...shown, open] }, found);
      isOther ||= open !== name || visited !== member;
      members.set(open, visited);
    }
    return isOther ? Object.fromEntries(members) : value;
  }

  #holdsOne(text: string): boolean {
    return this.#values.some((one) => text.includes(one));
  }

  #written({ file, start, end }: Span, value: string): string {
    const line = this.#lines.at(file, start.line);
    if (line === undefined || start.line !== end.line) return UNKNOWN;
    const written = textOf(line.slice(start.column - 1, end.column - 1));
    if (written === undefined) return UNKNOWN;
    return substituteEnvironment(written, this.#environment, () => {}) === value ? written : UNKNOWN;
  }
}

/** Decodes a scalar on one line. @returns undefined if it is not plain */
function textOf(scalar: string): string | undefined {
  if (scalar.startsWith("'")) return scalar.slice(1, -1).replaceAll("''", "'");
  if (!scalar.startsWith('"')) return scalar;
  try {
    return String(JSON.parse(scalar));
  } catch {
    return undefined;
  }
}
