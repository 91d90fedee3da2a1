import type { ResourceContext } from "../../../runtime/abi/resource.js";
import { openClientKey } from "../../../runtime/logging/client-pair.js";
import type { HttpDestination } from "./destination.js";

/** Characters that a header value may not have (RFC 9110 section 5.5). */
const IMPOSSIBLE = /[^\t\x20-\x7e\x80-\xff]/;
/** Parts of a secret that are shorter than this are not looked for: they would be found in any text. */
const SHORTEST = 6;
const MASK = "[redacted]";

/** What a destination's references stand for. */
export interface OpenSecrets {
  readonly headers: Readonly<Record<string, string>>;
  readonly key: string | undefined;
  /** The text without any of the secrets, however the server has written them. */
  clean(text: string): string;
}

/** @returns why it cannot be opened, in place of the secrets: the value of one is not known here, or cannot be used */
export function openSecrets(
  { headers = {}, tls }: Pick<HttpDestination, "headers" | "tls">,
  context: Pick<ResourceContext, "secret">,
): OpenSecrets | string {
  const open: Record<string, string> = {};
  for (const [name, reference] of Object.entries(headers)) {
    const value = context.secret(reference);
    if (value === undefined) return `the value of header ${name} is not known here`;
    // Bytes of UTF-8, one character a byte, as headers are written.
    const bytes = Buffer.from(value, "utf8").toString("latin1");
    if (IMPOSSIBLE.test(bytes)) return `the value of header ${name} cannot stand in a header`;
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

/** A value as a server may repeat it: whole, its words, what `Basic` wraps, and each of these inside of JSON or an address. */
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
