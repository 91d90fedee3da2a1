import { readFileSync } from "node:fs";
import { join } from "node:path";
import { trimBlanks } from "../../../../runtime/abi/plugin-api.js";
import { takesCoding } from "../../../../runtime/process/service-api.js";
import type { CaptchaHandler, CaptchaRequest, CaptchaResponse } from "../contract.js";
import type { BuiltFile } from "./manifest.js";

interface Encoded {
  etag: string;
  encoding: "br" | "gzip" | undefined;
  body: Buffer;
}

const TYPES: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
};

/** 304 to a matching If-None-Match, 405 to all but GET and HEAD. All encodings are cached (below 100 kB). */
export function fileHandler(
  folder: string,
  built: BuiltFile,
  fields: Readonly<Record<string, string>>,
): CaptchaHandler {
  const name = built.file;
  const tag = built.sha256.slice(0, 16);
  const form = (encoding: Encoded["encoding"], suffix: string, mark: string): Encoded => ({
    etag: `"${tag}${mark}"`,
    encoding,
    body: readFileSync(join(folder, name + suffix)),
  });
  // RFC 9110 section 8.8.3.3: each encoding has its own ETag.
  const encoded = [form("br", ".br", "-br"), form("gzip", ".gz", "-gz")];
  const plain = form(undefined, "", "");
  const type = TYPES[name.slice(name.lastIndexOf(".") + 1)] ?? "application/octet-stream";
  const common = {
    "Content-Type": type,
    ...fields,
    Vary: "Accept-Encoding",
    "X-Content-Type-Options": "nosniff",
  };
  return (request) => {
    if (request.method !== "GET" && request.method !== "HEAD") return methodNotAllowed();
    const accepted = request.headers.get("accept-encoding");
    const chosen = encoded.find(({ encoding }) => encoding && takesCoding(accepted, encoding)) ?? plain;
    const headers: Record<string, string> = { ...common, ETag: chosen.etag };
    if (matches(request, tag)) return { status: 304, headers, body: "" };
    if (chosen.encoding !== undefined) headers["Content-Encoding"] = chosen.encoding;
    return { status: 200, headers, body: chosen.body };
  };
}

export function methodNotAllowed(): CaptchaResponse {
  return { status: 405, headers: { Allow: "GET, HEAD", "Cache-Control": "no-store" }, body: "" };
}

/** An ETag of any encoding: the client's cached content is the same (RFC 9110 section 13.1.2). */
function matches({ headers }: CaptchaRequest, tag: string): boolean {
  const field = headers.get("if-none-match");
  if (field === undefined) return false;
  if (trimBlanks(field) === "*") return true;
  return field.split(",").some((item) => new RegExp(`^(?:W/)?"${tag}(?:-br|-gz)?"$`).test(trimBlanks(item)));
}
