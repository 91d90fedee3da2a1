import type { ResourceContext } from "../../../runtime/abi/plugin-api.js";
import { openClientKey } from "../../../runtime/logging/index.js";
import type { HttpDestination } from "./destination.js";

/** RFC 9110 section 5.5. */
const IMPOSSIBLE = /[^\t\x20-\x7e\x80-\xff]/;
/** Minimum length to search for: shorter parts of a secret occur in any text. */
const SHORTEST = 6;
const MASK = "[redacted]";

export interface OpenSecrets {
  readonly headers: Readonly<Record<string, string>>;
  readonly key: string | undefined;
  /** Removes the secrets in every form in which a server may repeat them. */
  clean(text: string): string;
}

/** @returns the reason if a secret is unknown here or cannot be used */
export function openSecrets(
  { headers = {}, tls }: Pick<HttpDestination, "headers" | "tls">,
  context: Pick<ResourceContext, "secret">,
): OpenSecrets | string {
  const open: Record<string, string> = {};
  for (const [name, reference] of Object.entries(headers)) {
    const value = context.secret(reference);
    if (value === undefined) return `the value of header ${name} is unknown`;
    // Bytes of UTF-8, one character per byte, as headers are written.
    const bytes = Buffer.from(value, "utf8").toString("latin1");
    if (IMPOSSIBLE.test(bytes))
      return `the value of header ${name} contains characters that a header cannot contain`;
    open[name] = bytes;
  }
  const pair = openClientKey(tls ?? {}, context, "the private key of tls");
  if (typeof pair === "string") return pair;
  const forms = [...new Set(Object.values(open).flatMap(formsOf))].sort((a, b) => b.length - a.length);
  return {
    headers: open,
    ...pair,
    clean: (text) => forms.reduce((rest, form) => rest.replaceAll(form, MASK), text),
  };
}

/** A server may repeat a value whole, its words, the decoded `Basic` text, also inside JSON or an address. */
function formsOf(value: string): string[] {
  const words = value.split(/[\s,;=]+/);
  const [scheme = "", credentials = ""] = words;
  const decoded =
    scheme.toLowerCase() === "basic" ? Buffer.from(credentials, "base64").toString("latin1") : "";
  const parts = [value, ...words, decoded, decoded.slice(decoded.indexOf(":") + 1)];
  return parts
    .filter((part) => part.length >= SHORTEST || part === value)
    .flatMap((part) => [part, JSON.stringify(part).slice(1, -1), encodeURIComponent(part)])
    .filter((form) => form !== "");
}
