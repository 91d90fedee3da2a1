export interface VerifyAnswer {
  status: number;
  body: string;
}

/** Classes of C60 to C62. */
export type Verdict =
  | { kind: "verified"; requestId: string }
  /** Class 1: the visitor may solve again. */
  | { kind: "invalid"; error: string }
  /** Class 2: the integration is wrong, and no other token will help. */
  | { kind: "misconfigured"; error: string; status: number }
  /** Class 3: there is no verdict now. */
  | { kind: "unavailable"; error: string };

/** Errors that an operator must fix, as the service spells them (spec "Errors", H5): only these are logged. */
const KNOWN_ERRORS: ReadonlySet<string> = new Set([
  "missing_required_params",
  "invalid_jwt_request_id",
  "invalid_jwt_site_key",
  "path_mismatch",
  "invalid_api_key",
  "forbidden_site_key",
]);

const REQUEST_ID = /^[A-Za-z0-9_-]{1,128}$/;

/**
 * Neither a verdict nor a temporary failure counts as a wrong integration. Such a request never passes,
 * whatever the policy: a wrong `captcha_url` would silently leave the route without protection.
 */
export function verdictOf({ status, body }: VerifyAnswer, siteKey: string): Verdict {
  if (status >= 500)
    return {
      kind: "unavailable",
      error: errorIn(body) === "storage_error" ? "storage_error" : `status_${status}`,
    };
  const answer = parsed(body);
  const error = errorOf(answer);
  if (error === "storage_error") return { kind: "unavailable", error };
  if (status !== 200) return { kind: "misconfigured", error: known(error) ?? `status_${status}`, status };
  if (answer?.success === false) {
    return error === "invalid_jwt"
      ? { kind: "invalid", error }
      : { kind: "misconfigured", error: known(error) ?? "unknown_answer", status };
  }
  const { success, site_key: verified, request_id: requestId } = answer ?? {};
  if (success !== true || typeof requestId !== "string")
    return { kind: "misconfigured", error: "unknown_answer", status };
  if (verified !== siteKey) return { kind: "misconfigured", error: "path_mismatch", status };
  return { kind: "verified", requestId: REQUEST_ID.test(requestId) ? requestId : "" };
}

const errorIn = (body: string) => errorOf(parsed(body));

function known(error: string | undefined): string | undefined {
  return error !== undefined && KNOWN_ERRORS.has(error) ? error : undefined;
}

function parsed(body: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function errorOf(answer: Record<string, unknown> | undefined): string | undefined {
  return typeof answer?.error === "string" ? answer.error : undefined;
}
