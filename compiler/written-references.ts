import { environmentReferences, substituteEnvironment } from "../runtime/abi/environment.js";
import type { CompileInput } from "./input.js";
import type { Path } from "./parse/source.js";
import type { Resource } from "./resolve/resource.js";
import { valuesOf } from "./secret-texts.js";

/** Shown where it is not known how a text was written: an alias, or one of several lines. */
const UNKNOWN = "***";

/**
 * Finds texts of the files' resources that variables are in, as they are written: reads show `${{TOKEN}}` and not what it stands for.
 * Only values that are no secret to anybody (`valuesOf`) are shown as they are.
 */
export class WrittenReferences {
  readonly #environment: CompileInput["environment"];
  readonly #values: readonly string[];
  readonly #sources: ReadonlyMap<string, string>;
  readonly #lines = new Map<string, readonly string[]>();

  constructor({ sources, environment }: Pick<CompileInput, "sources" | "environment">) {
    const names = sources.flatMap(({ text }) => environmentReferences(text)).map(({ name }) => name);
    this.#environment = environment;
    this.#values = valuesOf(names, environment);
    this.#sources = new Map(sources.map(({ name, text }) => [name, text]));
  }

  of(resource: Resource): [Path, string][] {
    const found: [Path, string][] = [];
    if (this.#values.length > 0 && resource.from === "file") this.#visit(resource, resource.value, [], found);
    return found;
  }

  #visit(resource: Resource, value: unknown, path: Path, found: [Path, string][]): void {
    if (typeof value === "string") {
      if (!this.#values.some((one) => value.includes(one))) return;
      const written = this.#written(resource, path, value);
      if (written !== value) found.push([path, written]);
      return;
    }
    if (typeof value !== "object" || value === null) return;
    for (const [name, member] of Object.entries(value))
      this.#visit(resource, member, [...path, Array.isArray(value) ? Number(name) : name], found);
  }

  #written({ spans }: Resource, path: Path, value: string): string {
    const { file, start, end } = spans.value(path);
    const line = this.#linesOf(file)[start.line - 1];
    if (line === undefined || start.line !== end.line) return UNKNOWN;
    const written = textOf(line.slice(start.column - 1, end.column - 1));
    if (written === undefined) return UNKNOWN;
    return substituteEnvironment(written, this.#environment, () => {}) === value ? written : UNKNOWN;
  }

  #linesOf(file: string): readonly string[] {
    let lines = this.#lines.get(file);
    if (lines === undefined) {
      lines = (this.#sources.get(file) ?? "").replace(/^\ufeff/, " ").split(/\r?\n/);
      this.#lines.set(file, lines);
    }
    return lines;
  }
}

/** The text that a scalar of YAML or JSON on one line stands for; undefined where that is not plain. */
function textOf(scalar: string): string | undefined {
  if (scalar.startsWith("'")) return scalar.slice(1, -1).replaceAll("''", "'");
  if (!scalar.startsWith('"')) return scalar;
  try {
    return String(JSON.parse(scalar));
  } catch {
    return undefined;
  }
}
