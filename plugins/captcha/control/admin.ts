import {
  type ApiResponse,
  failure,
  json,
  type OperationRequest,
} from "../../../runtime/process/contribution-api.js";
import { access } from "./access.js";
import { type CaptchaLink, CaptchaUnavailableError } from "./link.js";
import { PAGE_POLICY, statisticsPage } from "./page.js";

/** @param link undefined: no captcha is configured */
export async function captchaOperation(
  link: CaptchaLink | undefined,
  request: OperationRequest,
): Promise<ApiResponse> {
  const [operation, id = ""] = request.segments;
  if (!link) return failure(404, "no captcha is configured: the section captcha is absent");
  try {
    if (operation === "stats") return await statistics(link, request);
    if (operation === "access") return access(link.knownKeys(), request.bodyText, Date.now());
    if (operation === "decisions") return await decision(link, id);
    if (request.query.get("dry_run") === "true")
      return failure(400, "rotating the signing key has no dry run: remove dry_run");
    return json(201, await link.ask({ about: "rotation" }));
  } catch (error) {
    if (error instanceof CaptchaUnavailableError) return failure(503, error.message);
    throw error;
  }
}

async function statistics(link: CaptchaLink, { query, accept = "" }: OperationRequest): Promise<ApiResponse> {
  const format = query.get("format") ?? (/\btext\/html\b/.test(accept) ? "html" : "json");
  if (format !== "html" && format !== "json")
    return failure(400, "invalid argument format: should be json or html");
  const counted = await link.ask({ about: "statistics" });
  const value = { ...counted, restart_needed: link.restartNeeded };
  const headers = { "Cache-Control": "no-store", Vary: "Accept" };
  if (format === "json") return { status: 200, body: value, headers };
  return {
    status: 200,
    body: statisticsPage(value),
    type: "text/html; charset=utf-8",
    headers: { ...headers, "Content-Security-Policy": PAGE_POLICY, "X-Content-Type-Options": "nosniff" },
  };
}

async function decision(link: CaptchaLink, requestId: string): Promise<ApiResponse> {
  if (!/^[\w-]{1,64}$/.test(requestId))
    return failure(400, "a request_id consists of letters, digits, _ and -");
  const found = await link.ask({ about: "decision", requestId });
  if (found === null) return json(404, { message: "Key not found" });
  return { status: 200, body: found, headers: { "Cache-Control": "no-store" } };
}
