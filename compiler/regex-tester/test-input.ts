import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { parseSource } from "../parse/parse.js";
import type { BodyFilterInput } from "../plan/body-filters.js";
import { adminErrorText } from "../resolve/admin-text.js";
import { check } from "../validate/check.js";

/** The body of `POST /gw/admin/regex` (`schema/regex-trial.json`). */
interface WrittenTrial {
  pattern: string;
  options?: string;
  replace?: string;
  scope?: "once" | "global";
  allow_slow?: boolean;
  subject?: string;
}

/** A filter that is asked about, and the text that it goes over. */
export interface RegexTestInput {
  filter: BodyFilterInput;
  /** Undefined: only the pattern is looked at. */
  subject: string | undefined;
}

/** What was asked, or what is wrong with how it was. */
export type ReadRegex = { asked: RegexTestInput } | { errorMessage: string; diagnostics: Diagnostic[] };

/** The body as it was sent; places of findings are in it. */
const NAME = "POST /gw/admin/regex";
/** Bytes of a subject: a slice of a body, for which costs are worked out. */
const LONGEST = 65_536;

/** Reads and checks what is asked. */
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
