import type { Text, TextPart } from "./plan.js";

/** A new request target: its path, and its query when the template holds a "?". Literals are encoded already. */
export interface TargetTemplate {
  path: Text;
  query: Text | null;
}

/** What may not stand in a path or query as it is (RFC 3986 sections 3.3 and 3.4), and any "%" that begins no escape. */
const NOT_IN_TARGET = /%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~!$&'()*+,;=:@/?%]/g;

/**
 * Cuts a template at its first literal "?". Literals are encoded here, once: a valid escape stays as written, a lone
 * "%" becomes "%25" (reference 16.5). What variables and captures bring is encoded when the request comes.
 */
export function splitTarget(text: Text): TargetTemplate {
  const path: TextPart[] = [];
  let query: TextPart[] | null = null;
  for (const part of text) {
    if (!("literal" in part)) {
      (query ?? path).push(part);
      continue;
    }
    const mark: number = query === null ? part.literal.indexOf("?") : -1;
    if (mark < 0) {
      pushLiteral(query ?? path, part.literal);
      continue;
    }
    pushLiteral(path, part.literal.slice(0, mark));
    query = [];
    pushLiteral(query, part.literal.slice(mark + 1));
  }
  return { path, query };
}

function pushLiteral(parts: TextPart[], literal: string): void {
  if (literal !== "") parts.push({ literal: literal.replace(NOT_IN_TARGET, percentEncode) });
}

/** `byte` is one character of a byte string. */
function percentEncode(byte: string): string {
  return `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
}
