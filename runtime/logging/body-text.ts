import { isUtf8 } from "node:buffer";
import { BufferedBytes } from "../abi/buffered-bytes.js";
import type { CapturedBody } from "../abi/log.js";
import { decodePrefix } from "../http/body-prefix.js";

export interface LoggedBody {
  /** Byte string, decoded if possible. */
  readonly text: string;
  /** Content-Encoding that `text` still has because it could not be decoded, otherwise "". */
  readonly coding: string;
  readonly truncated: boolean;
  /** Size of the whole body in bytes, in its coding. */
  readonly size: number;
  /** Placeholder of the body's fields, if they are too long to become JSON in one time slice (`Placeholders`). */
  readonly fields?: string;
  /** Buffer budget of `text` until its record is made. */
  readonly held?: BufferedBytes;
}

/** Limits of coded bodies that decode at a time; others stay coded. A waiting decoder needs about 80 kB. */
const MAX_DECODING = { bodies: 512, bytes: 33_554_432 };
const decoding = { bodies: 0, bytes: 0 };
/** Share of the budget for buffered bodies that logs may take, as for captured bodies (body-capture.ts). */
const SHARE = 0.5;

/** Decodes a captured body: returns the body itself without a coding, otherwise a promise that never rejects. */
export function loggedBody(captured: CapturedBody, maxBytes: number): LoggedBody | Promise<LoggedBody> {
  const { text, coding, size } = captured;
  const asItIs: LoggedBody = { text, coding, size, truncated: text.length < size };
  const isCoded = text !== "" && coding !== "" && coding !== "identity";
  if (!isCoded) return { ...asItIs, coding: "" };
  if (decoding.bodies >= MAX_DECODING.bodies || decoding.bytes + text.length > MAX_DECODING.bytes)
    return asItIs;
  decoding.bodies++;
  decoding.bytes += text.length;
  const held = new BufferedBytes(captured.budget, SHARE);
  return decodePrefix(coding, Buffer.from(text, "latin1"), maxBytes, held)
    .then(
      (beginning): LoggedBody => ({
        text: beginning.text.toString("latin1"),
        coding: "",
        truncated: asItIs.truncated || !beginning.whole,
        size,
        ...(captured.budget && { held }),
      }),
      () => {
        held.release();
        return asItIs;
      },
    )
    .finally(() => {
      decoding.bodies--;
      decoding.bytes -= text.length;
    });
}

/**
 * JSON text without braces. `body` comes with `body_encoding: "base64"` if it is not UTF-8, `body_coding` if
 * still coded, `body_truncated` and `body_size` if cut.
 */
export function bodyFields(body: LoggedBody): string {
  const { text, truncated, fields } = body;
  if (fields !== undefined) return fields;
  const bytes = Buffer.from(text, "latin1");
  const end = truncated ? endOfCharacters(text) : text.length;
  const out = isUtf8(bytes.subarray(0, end))
    ? `"body":${JSON.stringify(end === text.length ? text : text.slice(0, end))}`
    : `"body":"${bytes.toString("base64")}","body_encoding":"base64"`;
  return out + fieldsBehind(body);
}

/** Returns the fields that follow `body` and describe it. */
export function fieldsBehind({ coding, truncated, size }: LoggedBody): string {
  const out = coding === "" ? "" : `,"body_coding":${JSON.stringify(coding)}`;
  return truncated ? `${out},"body_truncated":true,"body_size":${size}` : out;
}

export function beginningOf(body: LoggedBody, bytes: number): LoggedBody {
  if (body.text.length <= bytes) return body;
  return { ...body, text: body.text.slice(0, bytes), truncated: true };
}

/** Returns the length without a cut character at the end (UTF-8: up to three bytes). */
export function endOfCharacters(text: string): number {
  for (let back = 1; back <= Math.min(3, text.length); back++) {
    const byte = text.charCodeAt(text.length - back);
    if (byte < 0x80) break;
    if (byte < 0xc0) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return needed > back ? text.length - back : text.length;
  }
  return text.length;
}
