import { type BufferOutcome, type Exchange, trimBlanks } from "../../../runtime/abi/plugin-api.js";
import { type FormFieldResult, MAX_TOKEN, type Span, type UnreadableReason } from "./form-field-result.js";
import { memberOfJson } from "./json-member.js";
import { MultipartScanner } from "./multipart.js";
import type { CaptchaCheckSettings } from "./settings.js";

/** Content-Type, as far as the body can contain a token. */
export type BodyKind = { place: "form" | "json" } | { place: "multipart"; boundary: string } | undefined;

/** RFC 2046 section 5.1.1: 1 to 70 of these, the last one no blank. */
const QUOTED = /^[0-9A-Za-z'()+_,\-./:=? ]{0,69}[0-9A-Za-z'()+_,\-./:=?]$/;
const PLAIN = /^[^;\s"]{1,70}$/;
/** Parameter up to the next one or the end (RFC 9110 section 5.6.6). */
const PARAMETER = /[ \t]*;[ \t]*(?:([!#$%&'*+\-.^_`|~0-9A-Za-z]+)=(?:"([^"\\]*)"|([^;\s"]*)))?[ \t]*(?=;|$)/y;

/** @param contentType several values are no media type */
export function bodyKind(contentType: string | undefined): BodyKind {
  if (contentType === undefined) return undefined;
  const type = trimBlanks(/^[^;]*/.exec(contentType)?.[0] ?? "").toLowerCase();
  if (type === "application/x-www-form-urlencoded") return { place: "form" };
  if (type === "application/json" || /^application\/[\w.-]+\+json$/.test(type)) return { place: "json" };
  if (type !== "multipart/form-data") return undefined;
  const boundary = boundaryIn(contentType);
  return boundary === undefined ? undefined : { place: "multipart", boundary };
}

/** Undefined also if readers would differ: two boundaries, one in RFC 2231's form, or no parameter. */
function boundaryIn(contentType: string): string | undefined {
  let boundary: string | undefined;
  PARAMETER.lastIndex = contentType.indexOf(";");
  if (PARAMETER.lastIndex < 0) return undefined;
  while (PARAMETER.lastIndex < contentType.length) {
    const parameter = PARAMETER.exec(contentType);
    if (parameter === null) return undefined;
    const [, name = "", quoted, plain = ""] = parameter;
    if (!/^boundary(?:\*|$)/i.test(name)) continue;
    if (boundary !== undefined || name.includes("*")) return undefined;
    boundary = quoted ?? plain;
    if (!(quoted === undefined ? PLAIN : QUOTED).test(boundary)) return undefined;
  }
  return boundary;
}

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
  const scanner = scannerFor(kind, settings);
  let found: FormFieldResult | undefined;
  const held = await x.bufferBody(maxBytes, (bytes, ended) => {
    found = scanner.look(bytes, ended);
    return found !== undefined;
  });
  if (held === "limit") found ??= scanner.cutShort?.();
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
  if (kind.place === "multipart") return new MultipartScanner(kind.boundary, field);
  const read = (bytes: Buffer) =>
    kind.place === "form" ? fieldOfForm(bytes, field) : memberOfJson(bytes, pointer);
  return { look: (bytes, ended) => (ended ? read(bytes) : undefined) };
}

function unfinished(held: BufferOutcome, maxBytes: number): TokenResult {
  if (held === "limit") return { kind: "too_long", maxBytes };
  if (held === "room" || held === "gone") return { kind: held };
  return NONE;
}

/**
 * Reads application/x-www-form-urlencoded (WHATWG URL section 5.1). Empty fields do not count, so that one of
 * a second, unsolved widget does no harm; two with a value are rejected. A pair is removed with the "&"
 * before it, or, if no remaining pair is before it, with the one behind it.
 */
export function fieldOfForm(body: Buffer, field: string): FormFieldResult {
  const text = body.toString("latin1");
  const cuts: Span[] = [];
  const values: string[] = [];
  let stays = false;
  let equals = -1;
  for (let start = 0; start <= text.length; ) {
    const mark = text.indexOf("&", start);
    const end = mark < 0 ? text.length : mark;
    // Searched once, however many pairs precede it: otherwise a body of "&" alone would take quadratic time.
    if (equals < start) equals = indexOrEnd(text, "=", start);
    const nameEnd = Math.min(equals, end);
    if (!isName(text, start, nameEnd, field)) stays = true;
    else {
      values.push(decoded(text.slice(Math.min(nameEnd + 1, end), end)));
      cuts.push(stays ? { start: start - 1, end } : { start, end: Math.min(end + 1, text.length) });
    }
    start = end + 1;
  }
  const [token, second] = values.filter((value) => value !== "");
  if (second !== undefined) return { kind: "unreadable", reason: "field_repeated" };
  return token === undefined ? { kind: "none", cuts } : { kind: "token", token, cuts };
}

function indexOrEnd(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from);
  return at < 0 ? text.length : at;
}

/** An escape has three characters for one, so most names need not be decoded. */
function isName(text: string, start: number, end: number, field: string): boolean {
  const length = end - start;
  if (length < field.length || length > 3 * field.length) return false;
  return decoded(text.slice(start, end)) === field;
}

/** Decodes byte by byte; an invalid escape stays. */
function decoded(text: string): string {
  return text
    .replaceAll("+", " ")
    .replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
