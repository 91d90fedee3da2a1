import { sha256 } from "../../runtime/abi/hash.js";
import { readSources } from "../1-parse/files.js";
import { diagnostic } from "../diagnostics/report.js";
import type { Diagnostic } from "../model/diagnostic.js";
import type { SourceText } from "../model/source.js";

/** A missing file or a directory yields a diagnostic. */
export function policySource(
  path: string,
  directory?: string,
): { source: SourceText | undefined; diagnostics: Diagnostic[] } {
  const { sources, diagnostics } = readSources([path], directory);
  const [source] = sources;
  if (sources.length === 1) return { source, diagnostics };
  const none =
    diagnostics.length === 0
      ? [diagnostic("GW1031", undefined, { path, reason: "it is not a single file" })]
      : [];
  return { source: undefined, diagnostics: [...diagnostics, ...none] };
}

/** SHA-256 of a policy's text, as in the manifest of a build. @returns undefined if no policy is readable */
export const policyHash = (policy: SourceText | undefined): string | undefined =>
  policy && sha256(policy.text);
