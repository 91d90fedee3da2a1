import {
  diagnostic,
  type HeaderInput,
  type HeaderInputValue,
  isCoded,
  type PlanContext,
  type PluginSettings,
  trimBlanks,
} from "../../compiler/plugin-api.js";
import type { ResponseRewrite } from "./schema.gen.js";

/** Headers that describe the exact bytes of a body, and are wrong for another one. */
const OF_BYTES: ReadonlySet<string> = new Set([
  ...["etag", "content-md5", "content-range"],
  ...["digest", "content-digest", "repr-digest"],
]);

export function reportFalseFields(
  fields: readonly HeaderInput[],
  { value, spans }: PluginSettings<ResponseRewrite>,
  context: PlanContext,
): void {
  if (value.body === undefined && value.filters === undefined) return;
  const body = value.body === undefined ? "a filtered body" : "the new body";
  for (const { name, values, path } of fields) {
    const lower = name.toLowerCase();
    const at = path.at(-1) === name ? spans.key(path) : spans.value(path);
    if (lower === "content-encoding" && !values.every((one) => isTrue(one, value)))
      context.report(diagnostic("GW4038", at, { name, body }));
    if (OF_BYTES.has(lower) && values.some(({ text }) => copies(text, lower)))
      context.report(diagnostic("GW4039", at, { name, body }));
  }
}

/** The body has the content coding of the header. */
function isTrue({ text }: HeaderInputValue, { body, body_base64 }: ResponseRewrite): boolean {
  const coding = trimBlanks(text);
  if (coding === "" || coding.toLowerCase() === "identity") return true;
  return body !== undefined && body_base64 && isCoded(Buffer.from(body, "base64").toString("latin1"), coding);
}

/** A weak ETag promises no bytes. */
function copies(text: string, lower: string): boolean {
  const name = lower.replaceAll("-", "_");
  return (
    !trimBlanks(text).startsWith("W/") && new RegExp(`\\$\\{?[ \\t]*upstream_http_${name}\\b`, "i").test(text)
  );
}
