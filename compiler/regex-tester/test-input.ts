import { parseSource } from "../1-parse/parse.js";
import { check } from "../2-validate/check.js";
import type { BodyFilterInput } from "../4-plan/body-filters.js";
import { adminErrorText } from "../diagnostics/admin-text.js";
import type { Diagnostic } from "../model/diagnostic.js";

interface WrittenTrial {
  pattern: string;
  options?: string;
  replace?: string;
  scope?: "once" | "global";
  allow_slow?: boolean;
  subject?: string;
}

export interface RegexTestInput {
  filter: BodyFilterInput;
  /** Undefined if only the pattern is analysed. */
  subject: string | undefined;
}

export type ReadRegex = { asked: RegexTestInput } | { errorMessage: string; diagnostics: Diagnostic[] };

const NAME = "POST /gw/admin/regex";
/** Maximum bytes of a subject: a slice of a body, for which costs are computed. */
const LONGEST = 65_536;

export function readRegex(text: string): ReadRegex {
  const { document, diagnostics } = parseSource({ name: NAME, text, format: "json" });
  if (document === undefined || diagnostics.length > 0) return refused(diagnostics);
  const found = check("regex-trial.json", { located: document, root: "request", errorPrefix: "" });
  if (found.length > 0) return refused(found);
  const { pattern, options, replace, scope, allow_slow, subject } = document.value as WrittenTrial;
  const bytes = Buffer.byteLength(subject ?? "");
  if (bytes > LONGEST)
    return {
      errorMessage: `invalid request body: "subject" has ${bytes} bytes, more than ${LONGEST}`,
      diagnostics: [],
    };
  const filter = {
    ...{ regex: pattern, options: options ?? "jo", replace: replace ?? "", scope: scope ?? "once" },
    allow_slow: allow_slow ?? false,
  };
  return { asked: { filter, subject } };
}

const refused = (diagnostics: Diagnostic[]) => ({
  errorMessage: `invalid request body: ${adminErrorText(diagnostics)}`,
  diagnostics,
});
