import { matchedForm } from "../../runtime/abi/path.js";
import { addresses } from "../../runtime/abi/text/addresses.js";
import { decodeUtf8 } from "../../runtime/abi/text/bytes.js";
import { toNumber } from "../../runtime/abi/text/compare.js";
import { literalPrefix } from "../model/path-patterns.js";
import type { Condition, Operand, Operator, Regex } from "../model/plan.js";
import type { RouteGuarantees } from "../model/resolved.js";

export type Compare = Extract<Condition, { kind: "compare" }>;

/** Possible values of a variable: exactly these texts, or those that fit. */
type Left = { values: readonly string[] } | { fits: (text: string) => boolean };

/** Maximum values for which a comparison is evaluated; a route with more of them evaluates it per request. */
const MAX_VALUES = 100;
/**
 * Maximum bytes of a value that a pattern is tried on: engines are selected for subjects of at least this
 * length.
 */
const MAX_BYTES = 256;
/** Paths that match only themselves: no other spelling has the same `matchedForm`. */
const ONE_SPELLING = /^[A-Za-z0-9\-._~/]+$/;
const PRINTABLE = /^[\x21-\x7e]+$/;

/** Adds the outcomes that the route's guarantees fix to the comparisons of a condition. */
export function foldConstants(condition: Condition, known: RouteGuarantees): Condition {
  if (condition.kind === "always") return condition;
  if (condition.kind !== "compare")
    return { kind: condition.kind, items: condition.items.map((item) => foldConstants(item, known)) };
  const proven = provenOutcome(condition, known);
  return proven === undefined ? condition : { ...condition, proven };
}

/**
 * Returns the outcome, negation included, of a comparison for every request with these guarantees.
 * @returns undefined if requests differ in it, or if that is not certain
 */
function provenOutcome(compare: Omit<Compare, "origin">, known: RouteGuarantees): boolean | undefined {
  const left = leftOf(compare.variable, known);
  const outcome = left && outcomeOf(compare.operator, compare.operand, left);
  return outcome === undefined ? undefined : outcome !== compare.negated;
}

/**
 * Returns the outcome, negation included, of a comparison whose variable has this text.
 * @returns undefined if the variable has no text or the outcome is not computed
 */
export function outcomeWith(compare: Omit<Compare, "origin">, text: string | undefined): boolean | undefined {
  const outcome =
    text === undefined ? undefined : outcomeOf(compare.operator, compare.operand, { values: [text] });
  return outcome === undefined ? undefined : outcome !== compare.negated;
}

function leftOf(variable: string, { methods, hosts, uris }: RouteGuarantees): Left | undefined {
  switch (variable) {
    case "request_method":
    case "method":
      return methods.length === 0 ? undefined : { values: methods };
    case "host":
    case "hostname":
      return hosts.length === 0 ? undefined : hostsLeft(hosts);
    case "uri":
      return uris.length === 0 ? undefined : pathsLeft(uris);
    default:
      return undefined;
  }
}

function hostsLeft(hosts: readonly string[]): Left | undefined {
  if (!hosts.every((host) => PRINTABLE.test(host))) return undefined;
  if (hosts.every((host) => !host.startsWith("*"))) return { values: hosts };
  const fits = (text: string) =>
    hosts.some((host) => (host.startsWith("*") ? text.endsWith(host.slice(1)) : text === host));
  return { fits };
}

/**
 * Returns the possible values of `uri`, which may be escaped differently from the path that routes compare.
 */
function pathsLeft(uris: readonly string[]): Left {
  if (uris.every((uri) => ONE_SPELLING.test(uri))) return { values: uris };
  const begins = uris.map((uri) => {
    const literal = literalPrefix(uri);
    const text = literal.replaceAll("%2A", "*").replaceAll("%3A", ":");
    return { text, exact: literal === uri };
  });
  const fits = (text: string) => {
    const path = matchedForm(text);
    return begins.some((begin) => (begin.exact ? path === begin.text : path.startsWith(begin.text)));
  };
  return { fits };
}

function outcomeOf(operator: Operator, operand: Operand, left: Left): boolean | undefined {
  if (operator === "~=") {
    const equal = outcomeOf("==", operand, left);
    return equal === undefined ? undefined : !equal;
  }
  if ("values" in left) return outcomeForAll(operator, operand, left.values);
  const asked = textsOf(operator, operand);
  return asked === undefined || asked.some(left.fits) ? undefined : false;
}

/**
 * Returns the only texts of the left side with which the comparison holds.
 * @returns undefined if it may hold with other texts
 */
function textsOf(operator: Operator, operand: Operand): string[] | undefined {
  if (operator === "==" && operand.kind === "text") return [operand.value];
  if (operator !== "in" || operand.kind !== "list") return undefined;
  const texts = operand.values.filter((value) => typeof value === "string");
  return texts.length === operand.values.length ? texts : undefined;
}

function outcomeForAll(operator: Operator, operand: Operand, values: readonly string[]): boolean | undefined {
  if (values.length > MAX_VALUES) return undefined;
  const outcomes = new Set(values.map((value) => outcomeFor(operator, operand, value)));
  const [only] = outcomes;
  return outcomes.size === 1 ? only : undefined;
}

/** Evaluates the comparison with one text on its left, as the runtime does. */
function outcomeFor(operator: Operator, operand: Operand, text: string): boolean | undefined {
  switch (operand.kind) {
    case "null":
    case "boolean":
      return false;
    case "text":
      return operator === "==" && text === operand.value;
    case "number":
      return compareNumbers(operator, toNumber(text), operand.value);
    case "list":
      return operand.values.some((value) =>
        typeof value === "number" ? toNumber(text) === value : text === value,
      );
    case "regex":
      return foundIn(operand.regex, text);
    case "addresses":
      return addresses(...operand.values).has(text);
  }
}

function compareNumbers(operator: Operator, left: number, right: number): boolean {
  switch (operator) {
    case "==":
      return left === right;
    case ">":
      return left > right;
    case ">=":
      return left >= right;
    case "<":
      return left < right;
    case "<=":
      return left <= right;
    default:
      return false;
  }
}

/** Reports whether a pattern matches a text. @returns undefined if that may take long */
export function foundIn({ engine, source, flags, utf8 }: Regex, text: string): boolean | undefined {
  if (engine !== "backtracking" || text.length > MAX_BYTES) return undefined;
  return new RegExp(source, flags).test(utf8 ? decodeUtf8(text) : text);
}
