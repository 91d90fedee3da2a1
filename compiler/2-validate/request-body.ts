import { parseSource } from "../1-parse/parse.js";
import { adminErrorText } from "../diagnostics/admin-text.js";
import type { Diagnostic } from "../model/diagnostic.js";
import { check } from "./check.js";

// Apart from check.ts, which control imports without the packages of the compiler: this parses, with yaml.

export interface RejectedBody {
  errorMessage: string;
  diagnostics: Diagnostic[];
}

/**
 * Parses and checks the body of a question to the admin API.
 * @param name name of the body in spans of diagnostics
 * @param schema file of schema/
 */
export function readRequestBody<Value>(
  name: string,
  schema: string,
  text: string,
): { value: Value } | RejectedBody {
  const { document, diagnostics } = parseSource({ name, text, format: "json" });
  const found =
    document === undefined || diagnostics.length > 0
      ? diagnostics
      : check(schema, { located: document, root: "request", errorPrefix: "" });
  if (document !== undefined && found.length === 0) return { value: document.value as Value };
  return { errorMessage: `invalid request body: ${adminErrorText(found)}`, diagnostics: found };
}
