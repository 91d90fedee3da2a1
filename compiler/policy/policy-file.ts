import { sha256 } from "../../runtime/abi/hash.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { diagnostic } from "../diagnostics/report.js";
import { readSources } from "../parse/files.js";
import type { SourceText } from "../parse/source.js";

/** The text of a policy file. A path that is none, or a directory, is a finding. */
export function policySource(
  path: string,
  directory?: string,
): { source: SourceText | undefined; diagnostics: Diagnostic[] } {
  const { sources, diagnostics } = readSources([path], directory);
  const [source] = sources;
  if (sources.length === 1) return { source, diagnostics };
  const none =
    diagnostics.length === 0
      ? [diagnostic("GW1031", undefined, { path, reason: "it is no single file" })]
      : [];
  return { source: undefined, diagnostics: [...diagnostics, ...none] };
}

/** sha256 of a policy's text, as the manifest of a build has it; undefined without one, or where it cannot be read. */
export const policyHash = (policy: SourceText | undefined): string | undefined =>
  policy && sha256(policy.text);
