import type { Condition, Operator } from "./plan.js";

type Compare = Extract<Condition, { kind: "compare" }>;
type Report = (code: string, params: Record<string, string | number>) => void;

/** What is still possible for one variable after some of the conditions on it. */
interface Domain {
  /** The only values left, or undefined for any. */
  values: (string | number)[] | undefined;
  excluded: Set<string | number>;
  least: { bound: number; open: boolean };
  most: { bound: number; open: boolean };
  absent: boolean;
  present: boolean;
}

const LEAST_STATUS = 100;
const MOST_STATUS = 599;

/** Reports each set of conditions on one variable that must hold together and cannot: `status == 200` and `status == 500`. */
export function reportContradictions(condition: Condition, report: Report): void {
  for (const conditions of conjunctions(condition, false)) {
    for (const name of new Set(conditions.map((compare) => compare.variable))) {
      const compares = conditions.filter((compare) => compare.variable === name);
      if (compares.length > 1 && isEmpty(domainOf(name, compares))) {
        report("GW4013", { name, conditions: compares.map(written).join(" and ") });
      } else if (compares.length === 1 && name === "status" && isEmpty(domainOf(name, compares))) {
        report("GW4013", { name, conditions: `${compares.map(written).join()} and a status of 100 to 599` });
      }
    }
  }
}

/** Every set of comparisons that the condition joins by AND, negations pushed down to the comparisons. */
function conjunctions(condition: Condition, negated: boolean): Compare[][] {
  switch (condition.kind) {
    case "always":
      return [];
    case "compare":
      return [[negated ? { ...condition, negated: !condition.negated } : condition]];
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

function domainOf(name: string, compares: readonly Compare[]): Domain {
  const isStatus = name === "status";
  const domain: Domain = {
    values: undefined,
    excluded: new Set(),
    least: { bound: isStatus ? LEAST_STATUS : Number.NEGATIVE_INFINITY, open: false },
    most: { bound: isStatus ? MOST_STATUS : Number.POSITIVE_INFINITY, open: false },
    absent: false,
    present: false,
  };
  for (const compare of compares) narrow(domain, compare);
  return domain;
}

/** Takes away what `compare` excludes; comparisons that say nothing simple take nothing away. */
function narrow(domain: Domain, { operator, negated, operand }: Compare): void {
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
  domain.values = domain.values?.filter((left) => values.some((right) => alike(left, right))) ?? [...values];
}

/** A number compares with the number that a text spells. */
function alike(left: string | number, right: string | number): boolean {
  return typeof left === typeof right ? left === right : Number(left) === Number(right);
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

function written({ variable, operator, negated, operand }: Compare): string {
  const not = negated ? "not " : "";
  if (operand.kind === "list") return `${not}${variable} in ${JSON.stringify(operand.values)}`;
  if (operand.kind === "null") return `${not}${variable} ${operator} null`;
  const value = "value" in operand ? operand.value : "…";
  return `${not}${variable} ${operator} ${JSON.stringify(value)}`;
}
