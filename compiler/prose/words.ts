import { utf8 } from "../../runtime/abi/text/bytes.js";
import type { Condition, HeaderAction, Operand, Operator, TargetTemplate, Text } from "../model/plan.js";
import { CREDENTIAL } from "../variables/credential-text.js";

const SHOWN = 80;

/** Describes a byte string: in quotes, and cut if it is long. */
export function quoted(bytes: string): string {
  const text = Buffer.from(bytes, "latin1").toString("utf8");
  return JSON.stringify(text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text);
}

/** Describes `_meta.error_response`, to follow the status of a plugin's local reply; "" if not configured. */
export function bodyWords(errorResponse: string | undefined): string {
  return errorResponse === undefined ? "" : ` with the body ${quoted(utf8(errorResponse))}`;
}

/** Describes a text with variables as the configuration does: `"/v2/$1"`, `"${http_x ?? none}"`. */
export function textWords(text: Text): string {
  return quoted(text.map(partWords).join(""));
}

export function targetWords({ path, query }: TargetTemplate): string {
  return textWords(query === null ? path : [...path, { literal: "?" }, ...query]);
}

function partWords(part: Text[number]): string {
  if ("literal" in part) return part.literal.replaceAll("$", "\\$");
  if ("capture" in part) return `$${part.capture}`;
  return part.fallback === undefined ? `$${part.variable}` : `\${${part.variable} ?? ${part.fallback}}`;
}

const RELATIONS: Readonly<Record<Operator, string>> = {
  "==": "is",
  "~=": "is not",
  ">": "is more than",
  ">=": "is at least",
  "<": "is less than",
  "<=": "is at most",
  "~~": "matches",
  "~*": "matches, in either case,",
  in: "is one of",
  has: "has the element",
  ipmatch: "is an address in",
};

const GROUPS = { and: "all of", or: "any of", nand: "not all of", nor: "none of" } as const;

/** Describes a condition: `$http_x is "a"`, `any of ($host is "a"; $uri matches /^\/b/)`. */
export function conditionWords(condition: Condition): string {
  if (condition.kind === "always") return "always";
  if (condition.kind !== "compare")
    return `${GROUPS[condition.kind]} (${condition.items.map(conditionWords).join("; ")})`;
  const { variable, operator, operand, negated } = condition;
  const said = `$${variable} ${RELATIONS[operator]} ${operandWords(operand)}`;
  return negated ? `not (${said})` : said;
}

function operandWords(operand: Operand): string {
  switch (operand.kind) {
    case "text":
      return quoted(operand.value);
    case "number":
    case "boolean":
      return String(operand.value);
    case "null":
      return "absent";
    case "list":
      return operand.values.map((value) => (typeof value === "string" ? quoted(value) : value)).join(", ");
    case "regex":
      return `/${operand.regex.pattern}/`;
    case "addresses":
      return operand.values.join(", ");
  }
}

/** Keeps only the parts from the request of a value that carries a credential. */
const masked = (text: Text): Text => text.map((part) => ("literal" in part ? { literal: "***" } : part));

/** Describes each action in a sentence, without credentials. @param message "request" or "response" */
export function headerWords(actions: readonly HeaderAction[], message: "request" | "response"): string[] {
  return actions.map(({ action, name, values }) => {
    const header = `the ${message} header ${quoted(name).slice(1, -1)}`;
    if (action === "remove") return `removes ${header}`;
    const shown = CREDENTIAL.test(name) ? values.map(masked) : values;
    const texts = shown.map(textWords).join(" and ");
    return action === "add" ? `adds ${texts} to ${header}` : `sets ${header} to ${texts}`;
  });
}
