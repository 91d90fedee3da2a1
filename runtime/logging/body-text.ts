import { isUtf8 } from "node:buffer";
import { BufferedBytes } from "../abi/buffered-bytes.js";
import type { CapturedBody } from "../abi/log.js";
import { decodePrefix } from "../http/body-prefix.js";

/** A body as a record shows it. */
export interface LoggedBody {
  /** Byte string, decoded where that was possible. */
  readonly text: string;
  /** Content-Encoding that `text` still has, since it could not be undone; "" otherwise. */
  readonly coding: string;
  /** `text` is only the beginning. */
  readonly truncated: boolean;
  /** Bytes of the whole body as it passed, in its coding. */
  readonly size: number;
  /** What stands for its fields, where it is too long to become JSON at once (`Placeholders`). */
  readonly fields?: string;
  /** Budget of `text` until its record is made. */
  readonly held?: BufferedBytes;
}

/**
 * Coded bodies, and their bytes, that are being decoded in this process; what comes beyond is logged as it is. A decoder
 * needs about 80 kB for as long as it waits for a thread.
 */
const MAX_DECODING = { bodies: 512, bytes: 33_554_432 };
const decoding = { bodies: 0, bytes: 0 };
/** Part of the budget for held bodies that logs may take, as for what they keep (body-capture.ts). */
const SHARE = 0.5;

/** Makes what was kept of a body readable: without a coding at once, else with a promise that is never rejected. */
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
 * Fields of the default record for a body: `body`, with `body_encoding: "base64"` where it is no UTF-8, `body_coding`
 * where it is still coded, `body_truncated` and `body_size` where it was cut. JSON text without braces.
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

/** The fields that say something about `body`. */
export function fieldsBehind({ coding, truncated, size }: LoggedBody): string {
  const out = coding === "" ? "" : `,"body_coding":${JSON.stringify(coding)}`;
  return truncated ? `${out},"body_truncated":true,"body_size":${size}` : out;
}

/** The body's first bytes. */
export function beginningOf(body: LoggedBody, bytes: number): LoggedBody {
  if (body.text.length <= bytes) return body;
  return { ...body, text: body.text.slice(0, bytes), truncated: true };
}

/** Without the beginning of a character whose rest was cut off (UTF-8: up to three bytes). */
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
