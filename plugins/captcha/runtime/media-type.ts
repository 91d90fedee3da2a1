import { trimBlanks } from "../../../runtime/abi/text/field.js";

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
