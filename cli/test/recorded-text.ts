import type { RequestSpec, ResponseSpec } from "../../runtime/control/in-process/exchange-spec.js";

/** A recorded test, in the form in which it is written. */
export interface RecordedTest {
  name: string;
  request: RequestSpec;
  /** Undefined if the upstream is not called. */
  upstream: ResponseSpec | undefined;
  expect: Record<string, unknown>;
  /** Descriptions of omitted parts. */
  notes: string[];
}

/** An item of `tests:`. @param indent blanks before its dash */
export function recordedText(
  { name, request, upstream, expect, notes }: RecordedTest,
  indent = "  ",
): string {
  const lines = [
    ...notes.map((note) => `# ${note.replace(/[\r\n]+/g, " ")}`),
    `- name: ${flow(name)}`,
    `  request: ${flow(request)}`,
    ...(upstream === undefined ? [] : [`  upstream: ${flow(upstream)}`]),
    "  expect:",
    ...Object.entries(expect).map(([part, value]) => `    ${part}: ${flow(value)}`),
  ];
  return lines.map((line) => `${indent}${line}\n`).join("");
}

/** Prints a value for YAML, which accepts JSON; names and plain texts need no quotes. */
function flow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${plain(name)}: ${flow(member)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

const plain = (name: string) =>
  /^[A-Za-z][A-Za-z_-]*$/.test(name) && !/^(?:y|n|yes|no|on|off|true|false|null)$/i.test(name)
    ? name
    : JSON.stringify(name);
