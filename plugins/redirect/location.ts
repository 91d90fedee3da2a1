import { splitTarget, type TargetTemplate, type Text, type TextPart } from "../../compiler/plugin-api.js";
import { percentEncode } from "../../runtime/abi/plugin-api.js";

/** URL reference whose literals are already encoded. */
export interface LocationTemplate {
  /** "https://" up to the path; null for a path on the requested host. */
  origin: Text | null;
  target: TargetTemplate;
  /** Text behind "#"; null without one. */
  fragment: Text | null;
  /** Appends the request's query to the template's. */
  query: boolean;
}

/** Variables that hold a path from its first "/", so that they cannot continue a host name. */
const ROOTED = /^(?:uri|request_uri|real_request_uri)$/;
const WHOLE_TARGET = /^(?:real_)?request_uri$/;
/** RFC 3986 section 3.5. */
const NOT_IN_FRAGMENT = /%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~!$&'()*+,;=:@/?%]/g;

export function splitLocation(text: Text): LocationTemplate {
  const { before: whole, after: fragment } = cutAt(withQueryIdiom(text), "#");
  const idiom = whole.some((part) => part === QUERY);
  const shown = whole.filter((part) => part !== QUERY);
  const { origin, rest } = splitOrigin(shown);
  const { path, query } = splitTarget(rest);
  const brought = path.some(isWholeTarget);
  const asPath = path.map((part) => (isWholeTarget(part) ? { variable: "uri" } : part));
  return {
    origin,
    target: { path: asPath, query },
    fragment: fragment === null ? null : fragment.map(encodedFragment),
    query: idiom || brought,
  };
}

/** Represents `$is_args$args`. */
const QUERY: TextPart = { variable: "args" };

/** Nothing else of a query can follow nginx's `$is_args$args`, the query of the request. */
function withQueryIdiom(text: Text): Text {
  return text.flatMap((part, i): TextPart[] => {
    if (!isVariable(part, /^is_args$/) || !isVariable(text[i + 1], /^(?:args|query_string)$/)) {
      const before = text[i - 1];
      const taken = isVariable(part, /^(?:args|query_string)$/) && isVariable(before, /^is_args$/);
      return taken ? [] : [part];
    }
    return [QUERY];
  });
}

const isVariable = (part: TextPart | undefined, name: RegExp) =>
  part !== undefined && "variable" in part && name.test(part.variable);
const isWholeTarget = (part: TextPart) => isVariable(part, WHOLE_TARGET);

/** Literal, or `$scheme://`. Other variables cannot form scheme and authority. */
function splitOrigin(text: Text): { origin: Text | null; rest: Text } {
  const [first, second] = text;
  const named = isVariable(first, /^scheme$/) && second && "literal" in second ? second : undefined;
  const opening = named ?? first;
  const mark =
    opening && "literal" in opening
      ? (named ? /^:\/\// : /^(?:[A-Za-z][A-Za-z0-9+.-]*:)?\/\//).exec(opening.literal)
      : null;
  if (!opening || !("literal" in opening) || mark === null) return { origin: null, rest: text };
  const scheme: TextPart[] = [...(named && first ? [first] : []), { literal: mark[0] }];
  const parts = [{ literal: opening.literal.slice(mark[0].length) }, ...text.slice(named ? 2 : 1)];
  const end = parts.findIndex((part) => endsHost(part));
  const last = parts[end];
  if (last === undefined) return { origin: tidy([...scheme, ...parts]), rest: [] };
  if (!("literal" in last))
    return { origin: tidy([...scheme, ...parts.slice(0, end)]), rest: parts.slice(end) };
  const cut = last.literal.search(/[/?]/);
  const host = [...parts.slice(0, end), { literal: last.literal.slice(0, cut) }];
  return {
    origin: tidy([...scheme, ...host]),
    rest: [{ literal: last.literal.slice(cut) }, ...parts.slice(end + 1)],
  };
}

const endsHost = (part: TextPart) =>
  "literal" in part ? /[/?]/.test(part.literal) : "capture" in part || isVariable(part, ROOTED);

/** Drops empty literals and joins adjacent ones. */
function tidy(parts: readonly TextPart[]): Text {
  const whole: TextPart[] = [];
  for (const part of parts) {
    const last = whole.at(-1);
    if (!("literal" in part)) whole.push(part);
    else if (last && "literal" in last) whole[whole.length - 1] = { literal: last.literal + part.literal };
    else if (part.literal !== "") whole.push(part);
  }
  return whole;
}

function cutAt(text: Text, mark: string): { before: Text; after: Text | null } {
  const at = text.findIndex((part) => "literal" in part && part.literal.includes(mark));
  const part = text[at];
  if (part === undefined || !("literal" in part)) return { before: text, after: null };
  const cut = part.literal.indexOf(mark);
  return {
    before: [...text.slice(0, at), { literal: part.literal.slice(0, cut) }],
    after: [{ literal: part.literal.slice(cut + 1) }, ...text.slice(at + 1)],
  };
}

function encodedFragment(part: TextPart): TextPart {
  if (!("literal" in part)) return part;
  return { literal: part.literal.replace(NOT_IN_FRAGMENT, percentEncode) };
}
