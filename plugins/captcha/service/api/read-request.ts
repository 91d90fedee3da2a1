import type { CaptchaRequest } from "../contract.js";
import type { Shape } from "../score/shape.js";
import { ApiRejection, invalidRequest } from "./refusal.js";

const JSON_TYPE = /^application\/json[ \t]*(?:;[ \t]*charset="?utf-8"?[ \t]*)?$/i;
/** The server rejects larger bodies earlier. */
const MAX_BYTES = 16_384;

/**
 * Only our own frames may call: browsers send `Origin`, and CORS allows no other origin.
 * @param origin own origin, as browsers write it
 * @throws Refusal
 */
export function readRequest<T>(request: CaptchaRequest, origin: string, shape: Shape<T>): T {
  if (request.method !== "POST") throw invalidRequest(405);
  const origins = request.headers.getAll("Origin");
  if (origins.length !== 1 || origins[0] !== origin) throw invalidRequest(403);
  if (!JSON_TYPE.test(request.headers.get("Content-Type") ?? "")) throw invalidRequest(415);
  if (request.body.length > MAX_BYTES) throw new ApiRejection(413, "invalid_request");
  const value = parsed(request.body);
  if (!shape(value)) throw invalidRequest();
  return value;
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(UTF8.decode(body));
  } catch {
    throw invalidRequest();
  }
}

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
