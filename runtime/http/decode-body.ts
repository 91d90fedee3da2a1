import { decoderOf, ZSTD_MAGIC } from "../abi/text/body-coding.js";
import { codingsOf } from "./codings.js";
import { CodingError } from "./fault.js";
import { zstdSteps } from "./zstd-steps.js";

/** Maximum decoded bytes of a body that a configuration or a plugin wrote coded. */
const MAX_TEXT = 16_777_216;
/** Magic bytes (RFC 1952 section 2.3.1). */
const GZIP_MAGIC = "\x1f\x8b";

/** Undoes those codings that a body is in, from the last one on. @throws CodingError for damage, or too long text */
export function withoutCodings(body: string, encoding: string): string {
  let text = body;
  for (const coding of codingsOf(encoding).reverse()) {
    const undone = withoutCoding(text, coding);
    if (undone === undefined) break;
    text = undone;
  }
  return text;
}

/** @returns undefined if the body is not in the coding */
function withoutCoding(body: string, coding: string): string | undefined {
  const magic = coding === "zstd" ? ZSTD_MAGIC : coding.endsWith("gzip") ? GZIP_MAGIC : "";
  if (!body.startsWith(magic)) return undefined;
  const bytes = Buffer.from(body, "latin1");
  try {
    if (coding === "zstd") return textOfZstd(bytes).toString("latin1");
    return decoderOf(coding)?.(bytes, { maxOutputLength: MAX_TEXT }).toString("latin1");
  } catch (cause) {
    const isTooLong = (cause as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
    if (magic === "" && !isTooLong) return undefined;
    throw new CodingError(
      `a body with coding ${coding} is damaged, or decodes to more than ${MAX_TEXT} bytes`,
      cause,
    );
  }
}

const textOfZstd = (bytes: Buffer): Buffer =>
  Buffer.concat([...zstdSteps({ bytes, limit: MAX_TEXT, beginning: false })]);
