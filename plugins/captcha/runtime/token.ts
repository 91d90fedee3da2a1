import type { BufferOutcome, Exchange } from "../../../runtime/abi/exchange.js";
import type { FormFieldResult, UnreadableReason } from "./form-field-result.js";
import { MAX_TOKEN } from "./form-field-result.js";
import { memberOfJson } from "./json-member.js";
import { type BodyKind, bodyKind } from "./media-type.js";
import { MultipartScanner } from "./multipart.js";
import type { CaptchaCheckSettings } from "./settings.js";
import { fieldOfForm } from "./urlencoded.js";

/** "gone": the client has disconnected. */
export type TokenResult =
  | { kind: "token"; token: string }
  | { kind: "none" }
  | { kind: "unreadable"; reason: UnreadableReason | "not_a_token" | "body_coded" }
  /** Not found within so many bytes; the rest was not read. */
  | { kind: "too_long"; maxBytes: number }
  | { kind: "room" }
  | { kind: "gone" };

/** JWS in compact form (RFC 7515 section 7.1). Anything else is never sent to the service. */
const TOKEN = /^[A-Za-z0-9_.-]+$/;

const NONE: TokenResult = { kind: "none" };

/** Reads from the first of the places that has a token, and removes it if configured. */
export async function readToken(x: Exchange, settings: CaptchaCheckSettings): Promise<TokenResult> {
  const kind = bodyKind(x.request.headers.get("content-type"));
  let looked: TokenResult = NONE;
  for (const place of settings.tokenFrom) {
    if (place === "header") looked = fromHeader(x, settings);
    else if (kind?.place === place) looked = await fromBody(x, kind, settings);
    if (looked.kind !== "none") break;
  }
  if (looked.kind !== "token") return looked;
  const isToken = looked.token.length <= MAX_TOKEN && TOKEN.test(looked.token);
  return isToken ? looked : { kind: "unreadable", reason: "not_a_token" };
}

function fromHeader(x: Exchange, { header, stripField }: CaptchaCheckSettings): TokenResult {
  const lines = x.request.headers.getAll(header).filter((line) => line !== "");
  if (stripField) x.upstream.headers.delete(header);
  if (lines.length > 1) return { kind: "unreadable", reason: "field_repeated" };
  const [token] = lines;
  return token === undefined ? NONE : { kind: "token", token };
}

async function fromBody(
  x: Exchange,
  kind: NonNullable<BodyKind>,
  settings: CaptchaCheckSettings,
): Promise<TokenResult> {
  const coding = x.request.headers.get("content-encoding")?.toLowerCase() ?? "identity";
  if (coding !== "identity") return { kind: "unreadable", reason: "body_coded" };
  const maxBytes = kind.place === "multipart" ? settings.maxMultipartBytes : settings.maxBodyBytes;
  // The full body is required, and its length exceeds the limit: the client need not even send it.
  if (kind.place !== "multipart" && Number(x.variable("content_length") ?? 0) > maxBytes)
    return { kind: "too_long", maxBytes };
  const { look, cutShort } = scannerFor(kind, settings);
  let found: FormFieldResult | undefined;
  const held = await x.bufferBody(maxBytes, (bytes, ended) => {
    found = look(bytes, ended);
    return found !== undefined;
  });
  if (held === "limit") found ??= cutShort?.();
  if (found === undefined) return unfinished(held, maxBytes);
  if (found.kind === "unreadable") return found;
  for (const { start, end } of found.cuts) x.removeBodyRange(start, end, settings.stripField);
  return found.kind === "none" ? NONE : { kind: "token", token: found.token };
}

interface BodyScanner {
  /** @returns undefined if more bytes are needed */
  look(bytes: Buffer, ended: boolean): FormFieldResult | undefined;
  /** Result if no more bytes may be read. */
  cutShort?(): FormFieldResult | undefined;
}

function scannerFor(kind: NonNullable<BodyKind>, { field, pointer }: CaptchaCheckSettings): BodyScanner {
  if (kind.place === "multipart") {
    const scanner = new MultipartScanner(kind.boundary, field);
    return { look: (bytes, ended) => scanner.look(bytes, ended), cutShort: () => scanner.cutShort() };
  }
  const read = (bytes: Buffer) =>
    kind.place === "form" ? fieldOfForm(bytes, field) : memberOfJson(bytes, pointer);
  return { look: (bytes, ended) => (ended ? read(bytes) : undefined) };
}

function unfinished(held: BufferOutcome, maxBytes: number): TokenResult {
  if (held === "limit") return { kind: "too_long", maxBytes };
  if (held === "room" || held === "gone") return { kind: held };
  return NONE;
}
