import { diagnostic } from "../diagnostics/report.js";
import { appendTo } from "../model/append-to.js";
import type { Report, Span } from "../model/diagnostic.js";
import type { Condition, Operator } from "../model/plan.js";
import type { RouteGuarantees } from "../model/resolved.js";

type Compare = Extract<Condition, { kind: "compare" }>;

/** Values that remain possible for one variable under some of its conditions. */
interface Domain {
  /** The only values left; undefined for any. */
  values: (string | number)[] | undefined;
  excluded: Set<string | number>;
  least: { bound: number; open: boolean };
  most: { bound: number; open: boolean };
  absent: boolean;
  present: boolean;
}

const MIN_STATUS = 100;
const MAX_STATUS = 599;

/** Maximum comparisons that the message about one contradiction lists. */
export const MAX_WORDS = 10;

/** Conditions on one variable that must hold together and cannot: `status == 200` and `status == 500`. */
export interface Contradiction {
  variable: string;
  /** The comparisons as planned, in order. */
  compares: readonly Compare[];
  /** The same comparisons in words. */
  words: string;
}

export function contradictions(condition: Condition): Contradiction[] {
  return conjunctions(condition, false).flatMap(excluding);
}

/** Returns the variables for which comparisons that must hold together leave no value. */
function excluding(terms: readonly Term[]): Contradiction[] {
  const byVariable = new Map<string, Term[]>();
  for (const term of terms) appendTo(byVariable, term.compare.variable, term);
  return [...byVariable].flatMap(([variable, own]) => {
    const alone = own.length === 1 ? " and a status of 100 to 599" : "";
    if (own.length === 1 && variable !== "status") return [];
    if (!isEmpty(domainOf(variable, own))) return [];
    const untold = own.length > MAX_WORDS ? ` and ${own.length - MAX_WORDS} more` : "";
    const words = own.slice(0, MAX_WORDS).map(conditionText).join(" and ") + untold + alone;
    return [{ variable, compares: own.map(({ compare }) => compare), words }];
  });
}

/**
 * Reports whether a condition holds for no request. A part inside OR may be unsatisfiable without making the
 * whole so.
 * @param fixed outcome, negation included, of a comparison that is the same for every request
 */
export function neverHolds(
  condition: Condition,
  fixed: (compare: Condition) => boolean | undefined,
): boolean {
  return outcomeIsAlways(false, condition, false, fixed);
}

/** Reports whether a condition has this outcome for all requests of its route. */
export function isProven(outcome: boolean, condition: Condition): boolean {
  return outcomeIsAlways(outcome, condition, false, (compare) =>
    compare.kind === "compare" ? compare.proven : undefined,
  );
}

/**
 * Reports whether the condition has the outcome for every request. `negated` tells whether the surrounding
 * groups negate it. Returns false if unsure.
 */
function outcomeIsAlways(
  outcome: boolean,
  condition: Condition,
  negated: boolean,
  fixed: (compare: Condition) => boolean | undefined,
): boolean {
  if (condition.kind === "always") return outcome !== negated;
  if (condition.kind === "compare") {
    const known = fixed(condition);
    if (known !== undefined) return (known !== negated) === outcome;
    return !outcome && excluding([{ compare: condition, negated: condition.negated !== negated }]).length > 0;
  }
  const inverted = condition.kind === "nand" || condition.kind === "nor";
  const inside = negated !== inverted;
  const joined = (condition.kind === "and" || condition.kind === "nand") !== inside;
  const is = (item: Condition) => outcomeIsAlways(outcome, item, inside, fixed);
  // If `joined` is the opposite outcome, one item is enough to decide.
  if (joined === outcome) return condition.items.every(is);
  if (condition.items.some(is)) return true;
  const [flat = []] = joined ? conjunctions(condition, negated) : [];
  return !outcome && joined && excluding(flat).length > 0;
}

/** A comparison, and whether the surrounding groups negate it. */
interface Term {
  compare: Compare;
  negated: boolean;
}

/**
 * Returns every set of comparisons that the condition joins by AND, with negations pushed down to the
 * comparisons.
 */
function conjunctions(condition: Condition, negated: boolean): Term[][] {
  switch (condition.kind) {
    case "always":
      return [];
    case "compare":
      return [[{ compare: condition, negated: condition.negated !== negated }]];
    default: {
      const inverted = condition.kind === "nand" || condition.kind === "nor";
      const joined = (condition.kind === "and" || condition.kind === "nand") !== (negated !== inverted);
      const parts = condition.items.map((item) => conjunctions(item, negated !== inverted));
      if (!joined) return parts.flat();
      const flat = parts.filter((sets) => sets.length === 1).flatMap((sets) => sets[0] ?? []);
      return [flat, ...parts.filter((sets) => sets.length > 1).flat()];
    }
  }
}

function domainOf(name: string, terms: readonly Term[]): Domain {
  const isStatus = name === "status";
  const domain: Domain = {
    values: undefined,
    excluded: new Set(),
    least: { bound: isStatus ? MIN_STATUS : Number.NEGATIVE_INFINITY, open: false },
    most: { bound: isStatus ? MAX_STATUS : Number.POSITIVE_INFINITY, open: false },
    absent: false,
    present: false,
  };
  for (const term of terms) narrow(domain, term);
  return domain;
}

/** Removes the values that `compare` excludes. A comparison without a simple meaning removes nothing. */
function narrow(domain: Domain, { negated, compare: { operator, operand } }: Term): void {
  const same = operator === "==" || operator === "~=";
  if (same && operand.kind === "null") {
    if ((operator === "==") !== negated) domain.absent = true;
    else domain.present = true;
  } else if (same && (operand.kind === "text" || operand.kind === "number")) {
    if ((operator === "==") !== negated) keep(domain, [operand.value]);
    else domain.excluded.add(operand.value);
  } else if (operator === "in" && operand.kind === "list") {
    if (!negated) keep(domain, operand.values);
    else for (const value of operand.values) domain.excluded.add(value);
  } else if (operand.kind === "number" && !negated) bound(domain, operator, operand.value);
  else if (!negated) domain.present = true;
}

function keep(domain: Domain, values: readonly (string | number)[]): void {
  domain.present = true;
  domain.values = domain.values?.filter(isAmong(values)) ?? [...values];
}

/** Reports whether a value is in the list; a number also equals a text that spells it. */
function isAmong(values: readonly (string | number)[]): (value: string | number) => boolean {
  const same = new Set(values);
  const spelled = new Set(values.map((value) => (typeof value === "string" ? Number(value) : undefined)));
  return (value) => same.has(value) || (typeof value === "number" ? spelled : same).has(Number(value));
}

function bound(domain: Domain, operator: Operator, value: number): void {
  domain.present = true;
  const open = operator === ">" || operator === "<";
  if (operator === ">" || operator === ">=") {
    if (value > domain.least.bound || (value === domain.least.bound && open))
      domain.least = { bound: value, open };
  } else if (value < domain.most.bound || (value === domain.most.bound && open)) {
    domain.most = { bound: value, open };
  }
}

function isEmpty(domain: Domain): boolean {
  if (domain.absent && domain.present) return true;
  const { least, most } = domain;
  if (least.bound > most.bound || (least.bound === most.bound && (least.open || most.open))) return true;
  if (domain.values === undefined) return false;
  const limited = least.bound !== Number.NEGATIVE_INFINITY || most.bound !== Number.POSITIVE_INFINITY;
  return domain.values.every(
    (value) => domain.excluded.has(value) || (limited && !within(Number(value), domain)),
  );
}

function within(value: number, { least, most }: Domain): boolean {
  const above = least.open ? value > least.bound : value >= least.bound;
  return above && (most.open ? value < most.bound : value <= most.bound);
}

/** Returns the comparison in the notation of messages: `not status == 200`. */
function conditionText({ negated, compare: { variable, operator, operand } }: Term): string {
  const not = negated ? "not " : "";
  if (operand.kind === "list") return `${not}${variable} in ${JSON.stringify(operand.values)}`;
  if (operand.kind === "null") return `${not}${variable} ${operator} null`;
  const value = "value" in operand ? operand.value : "…";
  return `${not}${variable} ${operator} ${JSON.stringify(value)}`;
}

/** Reports `vars` that hold for no request because of the route's own methods, hosts or paths. */
export function reportUnsatisfiable(
  condition: Condition,
  known: RouteGuarantees,
  span: Span,
  report: Report,
): void {
  if (!isProven(false, condition)) return;
  const term = decisive(condition, false);
  if (term === undefined) return;
  const name = term.compare.variable;
  report(
    diagnostic("GW4020", span, { name, conditions: `${fieldWords(name, known)} and ${conditionText(term)}` }),
  );
}

/** Returns the first comparison that is known never to hold in its position. */
function decisive(condition: Condition, negated: boolean): Term | undefined {
  if (condition.kind === "always") return undefined;
  if (condition.kind === "compare") {
    const never = condition.proven !== undefined && condition.proven === negated;
    return never ? { compare: condition, negated: condition.negated !== negated } : undefined;
  }
  const inverted = condition.kind === "nand" || condition.kind === "nor";
  for (const item of condition.items) {
    const found = decisive(item, negated !== inverted);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the deciding field of the route, as configured. */
function fieldWords(variable: string, { methods, hosts, uris }: RouteGuarantees): string {
  if (variable.endsWith("method")) return `methods ${methods.join(", ")}`;
  return variable === "uri" ? `uri ${uris.join(", ")}` : `host ${hosts.join(", ")}`;
}
