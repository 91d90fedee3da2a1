import type { Diagnostic, Span } from "./diagnostics/diagnostic.js";
import { diagnostic } from "./diagnostics/report.js";
import type { CompileResult } from "./index.js";
import { secretPlace } from "./unset-secrets.js";
import { literalSecretPaths } from "./validate/annotations.js";

interface PlainSecret {
  place: string;
  span: Span;
}

/** Reports plain-text secrets, one note for each file: a file that nobody shares may well contain them. */
export function plainSecretsOfFiles({
  resources,
  literalSecrets,
}: Pick<CompileResult, "resources" | "literalSecrets">): Diagnostic[] {
  const found = new Map<string, PlainSecret[]>();
  const add = (secret: PlainSecret) => {
    const ofFile = found.get(secret.span.file);
    if (ofFile) ofFile.push(secret);
    else found.set(secret.span.file, [secret]);
  };
  for (const { path, span } of literalSecrets) add({ place: `"${path.join(".")}"`, span });
  for (const { kind, id, value, spans, from } of resources)
    if (from === "file")
      for (const path of literalSecretPaths(kind, value))
        add({ place: secretPlace(kind, id, path), span: spans.value(path) });
  return [...found.values()].flatMap((secrets) => {
    const [first] = secrets.sort((a, b) => a.span.start.line - b.span.start.line);
    if (first === undefined) return [];
    const more = secrets.length - 1;
    const others = more === 0 ? "" : more === 1 ? " and another one" : ` and ${more} more`;
    return [diagnostic("GW3018", first.span, { place: first.place, others })];
  });
}
