import { parseSource } from "../../../compiler/parse/parse.js";
import type { Spanned } from "../../../compiler/parse/source.js";
import { type Resolution, resolve } from "../../../compiler/resolve/index.js";
import { kinds, type Resource } from "../../../compiler/resolve/resource.js";

/** Resources of a YAML configuration; the tests of this folder only write what the schemas accept. */
export function resourcesOf(
  yaml: string,
  from: Resource["from"] = "file",
  name = "gateway.yaml",
): Resource[] {
  const { document, diagnostics } = parseSource({ name, text: yaml, format: "yaml" });
  if (!document) throw new Error(JSON.stringify(diagnostics));
  const { value, spans } = document as Spanned<Record<string, { id?: unknown; username?: string }[]>>;
  return kinds().flatMap((kind) =>
    (value[kind] ?? []).map((resource, index) => ({
      kind,
      id: String(resource.id ?? resource.username),
      from,
      value: resource,
      spans: spans.below([kind, index]),
    })),
  );
}

/** Resolves a configuration; plugins whose name starts with "answer" can answer by themselves. */
export function resolved(...resources: Resource[][]): Resolution {
  const context = { answers: (plugin: string) => plugin.startsWith("answer"), tlsListener: false };
  return resolve(resources.flat(), context);
}

/** Findings as "CODE line message". */
export function reported({ diagnostics }: Pick<Resolution, "diagnostics">): string[] {
  return diagnostics.map(({ code, span, message }) => `${code} ${span?.start.line ?? "-"} ${message}`);
}
