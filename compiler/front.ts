import type { Diagnostic, Span } from "./diagnostics/diagnostic.js";
import type { Change, CompileInput } from "./input.js";
import { parseSource } from "./parse/parse.js";
import type { Located, Spans } from "./parse/source.js";
import { PLUGINS } from "./plugins/index.js";
import type { Absence } from "./resolve/inventory.js";
import { KINDS, type Kind, type Resource } from "./resolve/resource.js";
import type { Surroundings } from "./resolve/route.js";

/** Settings of the files that are not resources. */
export interface Settings {
  /** Value of the deployment keys, references to the environment symbolic where the schema says so. */
  deployment: unknown;
  /** Names of environment variables whose values are now part of the input. */
  environment: string[];
}

/** Steps 1 and 2 over files and store. */
export interface Front extends Settings {
  resources: Resource[];
  /** Resources that exist but have errors of their own, or were deleted by force. */
  absences: { kind: Kind; id: string; absence: Absence }[];
  surroundings: Surroundings;
  diagnostics: Diagnostic[];
}

export function readConfiguration(input: CompileInput): Front {
  const resources: Resource[] = [];
  const absences: Front["absences"] = [];
  const diagnostics: Diagnostic[] = [];
  for (const source of input.sources) {
    const parsed = parseSource(source);
    diagnostics.push(...parsed.diagnostics);
    if (parsed.document) resources.push(...split(parsed.document));
  }
  for (const { kind, id, value } of input.stored ?? []) {
    if (value === null) absences.push({ kind, id, absence: "deleted" });
    else resources.push({ kind, id, value, from: "store", spans: storedSpans(kind, id) });
  }
  return { resources, absences, diagnostics, deployment: null, environment: [], surroundings: SURROUNDINGS };
}

const SURROUNDINGS: Surroundings = {
  answers: (name) => PLUGINS.some((p) => p.name === name),
  tlsListener: false,
};

function split(document: Located): Resource[] {
  const value = document.value as Record<string, { id?: unknown; username?: string }[]>;
  return KINDS.flatMap((kind) =>
    (value[kind] ?? []).map((resource, index) => ({
      kind,
      id: String(resource.id ?? resource.username),
      from: "file" as const,
      value: resource,
      spans: document.spans.below([kind, index]),
    })),
  );
}

/** A body of the admin API. */
export function readWritten(written: Extract<Change, { put: object }>["put"]): {
  resource: Resource | undefined;
  diagnostics: Diagnostic[];
} {
  const { kind, id, text, method = "PUT" } = written;
  const { document, diagnostics } = parseSource({
    name: `${method} /gw/admin/${kind}/${id}`,
    text,
    format: "json",
  });
  return { resource: document && { ...document, kind, id, from: "store" }, diagnostics };
}

/** A stored resource has no text that anybody could open: every part of it stands at its admin path. */
export function storedSpans(kind: Kind, id: string): Spans {
  const start = { line: 1, column: 1 };
  const span: Span = { file: `admin ${kind}/${id}`, start, end: start };
  const spans: Spans = { value: () => span, key: () => span, below: () => spans };
  return spans;
}
