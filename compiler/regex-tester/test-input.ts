import { type RejectedBody, readRequestBody } from "../2-validate/request-body.js";
import type { BodyFilterInput } from "../4-plan/body-filters.js";

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

/** The input, or the faults in the body. */
export type ReadRegex = { asked: RegexTestInput } | RejectedBody;

/** Maximum bytes of a subject: a slice of a body, for which costs are computed. */
const LONGEST = 65_536;

export function readRegex(text: string): ReadRegex {
  const body = readRequestBody<WrittenTrial>("POST /gw/admin/regex", "regex-trial.json", text);
  if ("errorMessage" in body) return body;
  const { pattern, options, replace, scope, allow_slow, subject } = body.value;
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
