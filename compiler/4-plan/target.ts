import { CONFIG_PATH_RULES, normalBuiltPath, normalPath, PathFault } from "../../runtime/abi/path.js";
import { percentEncode } from "../../runtime/abi/text/bytes.js";
import type { TargetTemplate, Text, TextPart } from "../model/plan.js";

/**
 * Characters that are not allowed in a path or query (RFC 3986 sections 3.3 and 3.4), and any "%" that begins
 * no escape.
 */
const NOT_IN_TARGET = /%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~!$&'()*+,;=:@/?%]/g;

/**
 * Cuts a template at its first literal "?". Literals are encoded here, once: a valid escape is unchanged, a
 * lone "%" becomes "%25" (reference 16.5). Values of variables and captures are encoded at run time.
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
  if (literal === "") return;
  const encoded = literal.replace(NOT_IN_TARGET, percentEncode);
  const last = parts.at(-1);
  if (last !== undefined && "literal" in last) parts[parts.length - 1] = { literal: last.literal + encoded };
  else parts.push({ literal: encoded });
}

/** Placeholder for a value known only at run time: some text within a segment. */
const SOME = "x";
const probe = (text: Text) => text.map((part) => ("literal" in part ? part.literal : SOME)).join("");

/**
 * Returns the path of a template with the dot segments before its first variable resolved.
 * @returns a fault for a dot segment behind a variable, whose result depends on the value, and for whatever
 * no path may contain
 */
export function normalizedTemplatePath(path: Text): Text | PathFault {
  const [first, ...rest] = path;
  if (first === undefined || !("literal" in first)) return path;
  const { literal } = first;
  // A value may continue the last segment.
  const end = rest.length === 0 ? literal.length : literal.lastIndexOf("/") + 1;
  const settled = normalPath(literal.slice(0, end), CONFIG_PATH_RULES);
  if (settled instanceof PathFault) return settled;
  const behind = probe([{ literal: literal.slice(end) }, ...rest]);
  const made = normalBuiltPath(`/${behind}`, CONFIG_PATH_RULES);
  if (rest.length > 0 && made instanceof PathFault) return made;
  return [{ literal: settled + literal.slice(end) }, ...rest];
}

/**
 * Returns the reason why a replacement, anywhere in a path, makes a path that is not sent.
 * @returns undefined if the replacement is valid
 */
export function replacementFault(path: Text): PathFault | undefined {
  const made = normalBuiltPath(`/${SOME}${probe(path)}${SOME}`, CONFIG_PATH_RULES);
  return made instanceof PathFault ? made : undefined;
}
