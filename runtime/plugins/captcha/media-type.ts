/** What a request's body is, by its Content-Type, as far as a token can be in it. */
export type BodyKind = { place: "form" | "json" } | { place: "multipart"; boundary: string } | undefined;

/** RFC 2046 section 5.1.1: 1 to 70 of these, the last one no blank. */
const BOUNDARY =
  /;[ \t]*boundary=(?:"([0-9A-Za-z'()+_,\-./:=? ]{0,69}[0-9A-Za-z'()+_,\-./:=?])"|([^;\s"]{1,70}))[ \t]*(?:;|$)/i;

/** @param contentType the field's value; several are no media type */
export function bodyKind(contentType: string | undefined): BodyKind {
  if (contentType === undefined) return undefined;
  const type = (/^[^;]*/.exec(contentType)?.[0] ?? "").trim().toLowerCase();
  if (type === "application/x-www-form-urlencoded") return { place: "form" };
  if (type === "application/json" || /^application\/[\w.-]+\+json$/.test(type)) return { place: "json" };
  if (type !== "multipart/form-data") return undefined;
  const [, quoted, plain] = BOUNDARY.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  return boundary === undefined ? undefined : { place: "multipart", boundary };
}
