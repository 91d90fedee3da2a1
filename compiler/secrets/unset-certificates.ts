import { environmentReferences } from "../../runtime/abi/environment.js";
import { parseSource } from "../1-parse/parse.js";
import { valueAt } from "../1-parse/values.js";
import { diagnostic } from "../diagnostics/report.js";
import type { Diagnostic, Span } from "../model/diagnostic.js";
import type { CompileInput } from "../model/input.js";
import type { Path, SourceText } from "../model/source.js";

/** Only a build or a gateway needs the certificate: GW1020 becomes a note for files that are only checked. */
export function withUnsetCertificates(
  diagnostics: readonly Diagnostic[],
  sources: readonly SourceText[],
  environment: CompileInput["environment"],
): Diagnostic[] {
  if (!diagnostics.some(isUnset)) return [...diagnostics];
  const notes = sources.flatMap((source) => unsetIn(source, environment));
  const noted = new Set(notes.map(keyOf));
  return [...diagnostics.filter((found) => !isUnset(found) || !noted.has(keyOf(found))), ...notes];
}

const isUnset = ({ code }: Diagnostic): boolean => code === "GW1020";

const keyOf = ({ span }: { span?: Span }): string =>
  span === undefined ? "" : `${span.file}:${span.start.line}:${span.start.column}`;

function unsetIn(source: SourceText, environment: CompileInput["environment"]): Diagnostic[] {
  const { document } = parseSource(source);
  const ssls = document && valueAt(document.value, ["ssls"]);
  if (!document || !Array.isArray(ssls)) return [];
  return ssls.flatMap((ssl: unknown, i) =>
    certificatePaths(ssl).flatMap((path) => {
      const text = valueAt(ssl, path);
      if (typeof text !== "string") return [];
      const unset = environmentReferences(text).filter(
        ({ name, fallback }) => (environment[name] ?? fallback) === undefined,
      );
      const names = [...new Set(unset.map(({ name }) => name))];
      const place = `"${path.join(".")}" of ssl "${String(valueAt(ssl, ["id"]) ?? i)}"`;
      return names.map((name) =>
        diagnostic("GW3072", document.spans.value(["ssls", i, ...path]), { name, place }),
      );
    }),
  );
}

/** Certificates, names of their files, and certificate authorities of an `ssls` resource. */
function certificatePaths(ssl: unknown): Path[] {
  const certs = valueAt(ssl, ["certs"]);
  const further: Path[] = Array.isArray(certs) ? certs.map((_, at) => ["certs", at]) : [];
  return [["cert"], ["cert_file"], ["key_file"], ["client", "ca"], ...further];
}
