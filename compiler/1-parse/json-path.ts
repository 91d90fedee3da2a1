import type { JsonPathStep } from "../../runtime/abi/log.js";

const NAME = "[A-Za-z_\\u0080-\\u{10ffff}][A-Za-z0-9_\\u0080-\\u{10ffff}-]*";
const QUOTED = `'(?<single>(?:[^'\\\\]|\\\\.)+)'|"(?<double>(?:[^"\\\\]|\\\\.)+)"`;
/** `.name`, `..name`, `.*`, `['any name']`, `[0]`, `[*]`; the first name needs no dot. */
const STEP = new RegExp(
  `(?<lead>\\.{0,2})(?:(?<name>${NAME})|\\*|(?<bracket>\\[(?:(?<index>\\d{1,9})|\\*|${QUOTED})\\]))`,
  "uy",
);

/** Parses RFC 9535 without slices and filters. @returns a text that describes the error, if there is one */
export function parseJsonPath(path: string): JsonPathStep[] | string {
  const text = path.startsWith("$") ? path.slice(1) : path;
  if (text === "") return "it names the whole body";
  const steps: JsonPathStep[] = [];
  for (let at = 0; at < text.length; at = STEP.lastIndex) {
    STEP.lastIndex = at;
    const found = STEP.exec(text)?.groups;
    const begins = at === 0 && text === path;
    if (found === undefined || !isLed(found, begins)) return `"${text.slice(at)}" is no step of it`;
    const { lead, name, index, single, double } = found;
    if (lead === "..") steps.push(true);
    const quoted = (single ?? double)?.replace(/\\(.)/gu, "$1");
    steps.push(index === undefined ? (name ?? quoted ?? null) : Number(index));
  }
  return steps;
}

const PLAIN = new RegExp(`^${NAME}$`, "u");

export function jsonPathText(steps: readonly JsonPathStep[]): string {
  const texts = steps.map((step, i) => {
    if (step === true) return "..";
    if (typeof step === "number") return `[${step}]`;
    if (step === null) return "[*]";
    if (PLAIN.test(step)) return steps[i - 1] === true ? step : `.${step}`;
    return `['${step.replace(/['\\]/g, "\\$&")}']`;
  });
  return `$${texts.join("")}`;
}

/** Checks the prefix of a step: a name needs dots, a bracket none or two. */
function isLed({ lead, bracket }: Readonly<Record<string, string | undefined>>, begins: boolean): boolean {
  return bracket === undefined ? lead !== "" || begins : lead !== ".";
}
