import { literalSecretPaths } from "../2-validate/annotations.js";
import { diagnostic } from "../diagnostics/report.js";
import { appendTo } from "../model/append-to.js";
import type { Diagnostic, Span } from "../model/diagnostic.js";
import type { Resource } from "../model/resource.js";
import type { Path } from "../model/source.js";
import { secretPlace } from "./unset-variables.js";

interface PlainSecret {
  place: string;
  span: Span;
}

/** Reports one note for each file: a file that nobody shares may well contain them. */
export function plainSecretsOfFiles({
  resources,
  literalSecrets,
}: {
  resources: readonly Resource[];
  literalSecrets: readonly { path: Path; span: Span }[];
}): Diagnostic[] {
  const found = new Map<string, PlainSecret[]>();
  const add = (secret: PlainSecret) => appendTo(found, secret.span.file, secret);
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
