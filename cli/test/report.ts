import { locationText, type Span } from "../../compiler/model/diagnostic.js";
import { escapeUnseen, visible, visibleLine } from "../../runtime/abi/text/unseen.js";
import { pluralize } from "../output.js";
import { type Coverage, coverageText } from "./coverage.js";
import { type Mutation, mutationText } from "./mutants.js";
import { isPassing, type TestResult } from "./run.js";

export interface Outcome {
  ran: readonly TestResult[];
  /** Undefined if not requested. */
  coverage?: Coverage | undefined;
  mutation?: Mutation | undefined;
  ms: number;
}

export type ReportFormat = "text" | "json" | "junit";

const REPORTS: Readonly<Record<ReportFormat, (outcome: Outcome) => string>> = { text, json, junit };

/** Removes control characters, because texts come from upstreams and clients. */
export function reportOf(format: ReportFormat, outcome: Outcome): string {
  const report = REPORTS[format](outcome);
  return format === "text" ? visible(report) : escapeUnseen(report);
}

const place = ({ file, start }: Span) => locationText({ file: visibleLine(file), start });
const seconds = (ms: number) => (ms / 1_000).toFixed(1);

/** Lists each failed expectation in the form that editors link, and the totals. */
function text({ ran, coverage, mutation, ms }: Outcome): string {
  const failed = ran.filter((one) => !isPassing(one));
  const passed = ran.length - failed.length;
  const blocks = failed.map(
    (one) =>
      `FAIL ${visibleLine(one.name)} (${visibleLine(one.span.file)}:${one.span.start.line})\n${detailsOf(one, "  ")}\n`,
  );
  const end =
    failed.length === 0
      ? `${pluralize(passed, "test")} passed in ${seconds(ms)} s\n`
      : `${pluralize(failed.length, "test")} failed, ${passed} passed in ${seconds(ms)} s\n`;
  const more = [coverage && coverageText(coverage), mutation && mutationText(mutation)];
  return [...blocks, end, ...more].join("");
}

function detailsOf({ differences, faults, refused, verdict, span }: TestResult, indent: string): string {
  const lines = differences.flatMap((one) => {
    const { path, what, expected, actual } = one;
    return [
      `${place(one.span)}: ${visibleLine(what)}`,
      ...lineDiff(linesOf(expected), linesOf(actual)).map((line) => `  ${line}`),
      ...(verdict === undefined || path[0] !== "route" ? [] : [`  route "${expected}": ${verdict}`]),
    ];
  });
  lines.push(...faults.map((fault) => `${place(span)}: ${visibleLine(fault)}`));
  lines.push(
    ...refused.map(
      (address) => `${place(span)}: no request was sent to ${address}: tests run without a network`,
    ),
  );
  return lines.map((line) => `${indent}${line}\n`.replace(/ +\n$/, "\n")).join("");
}

/** Lines of a value as in YAML: lines of a text, items of a list. */
function linesOf(value: unknown): string[] {
  if (value === undefined) return ["(none)"];
  if (typeof value === "string") return value.includes("\n") ? value.split("\n") : [scalar(value)];
  if (Array.isArray(value))
    return value.length === 0
      ? ["(none)"]
      : value.flatMap((one) => (isScalar(one) ? linesOf(one) : inJson(one)));
  return isScalar(value) ? [String(value)] : inJson(value);
}

const isScalar = (value: unknown) => typeof value !== "object" || value === null;
const inJson = (value: unknown) => JSON.stringify(sorted(value), null, 2).split("\n");

/** Quotes a text that would otherwise be read as another type. */
const scalar = (text: string) =>
  /^(?:|-?[\d.]+|true|false|null|\s.*|.*\s)$/.test(text) || /[\0-\x1f]/.test(text)
    ? JSON.stringify(text)
    : text;

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]));
}

function json({ ran, coverage, mutation, ms }: Outcome): string {
  const failed = ran.filter((one) => !isPassing(one)).length;
  const told = ran.map((one) => ({
    name: one.name,
    passed: isPassing(one),
    ...{ file: one.span.file, line: one.span.start.line, column: one.span.start.column },
    route: one.route ?? null,
    ms: Math.round(one.ms * 10) / 10,
    differences: one.differences.map(({ path, what, expected, actual, span }) => ({
      path: ["expect", ...path].join("."),
      what,
      expected: expected ?? null,
      actual: actual ?? null,
      ...{ file: span.file, line: span.start.line, column: span.start.column },
    })),
    faults: one.faults,
    refused: one.refused,
  }));
  const outcome = {
    passed: ran.length - failed,
    failed,
    seconds: Number(seconds(ms)),
    tests: told,
    coverage,
    mutation,
  };
  return `${JSON.stringify(outcome, null, 2)}\n`;
}

/** Prints the format that Jenkins, GitLab and others read, with a suite for each file. */
function junit({ ran, ms }: Outcome): string {
  const files = [...new Set(ran.map(({ span }) => span.file))];
  const counts = (some: readonly TestResult[]) =>
    `tests="${some.length}" failures="${some.filter((one) => !isPassing(one)).length}"`;
  const suites = files.map((file) => {
    const own = ran.filter(({ span }) => span.file === file);
    const time = own.reduce((sum, one) => sum + one.ms, 0) / 1_000;
    const cases = own.map((one) => junitCase(one)).join("");
    return `  <testsuite name="${escaped(file)}" ${counts(own)} time="${time.toFixed(3)}">\n${cases}  </testsuite>\n`;
  });
  const root = `<testsuites name="gwc test" ${counts(ran)} time="${(ms / 1_000).toFixed(3)}">`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root}\n${suites.join("")}</testsuites>\n`;
}

function junitCase(one: TestResult): string {
  const { name, span, ms } = one;
  const head = `    <testcase name="${escaped(name)}" classname="${escaped(span.file)}" file="${escaped(span.file)}" line="${span.start.line}" time="${(ms / 1_000).toFixed(3)}"`;
  if (isPassing(one)) return `${head}/>\n`;
  const [first] = one.differences;
  const message = first === undefined ? (one.faults[0] ?? "") : `${place(first.span)}: ${first.what}`;
  return `${head}>\n      <failure message="${escaped(message)}">${escaped(detailsOf(one, ""))}</failure>\n    </testcase>\n`;
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Escapes a text. XML 1.0 forbids control characters, also as references, and a terminal obeys a carriage return. */
const escaped = (text: string): string =>
  text
    .replace(/[&<>"]/g, (found) => ENTITIES[found] ?? found)
    .replace(/[\0-\x08\x0b-\x1f\ufffe\uffff]/g, "\ufffd");

/** A longer comparison is slow and unreadable: then all lines of one text precede all lines of the other. */
const MAX_LINES = 1_000;
/** Equal lines that are shown around a change. */
const AROUND = 3;

/** Prefixes lines: "- " expected, "+ " actual, "  " in both. Equal lines far from a change are omitted. */
function lineDiff(expected: readonly string[], actual: readonly string[]): string[] {
  const all =
    expected.length > MAX_LINES || actual.length > MAX_LINES
      ? [...expected.map((line) => `- ${line}`), ...actual.map((line) => `+ ${line}`)]
      : aligned(expected, actual);
  // Empty text after the last line break of both.
  if (all.at(-1) === "  ") all.pop();
  return nearChanges(all);
}

/** Aligns the lines by the longest common subsequence. */
function aligned(a: readonly string[], b: readonly string[]): string[] {
  const width = b.length + 1;
  const longest = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number) => longest[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      longest[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const lines: string[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push(`  ${a[i++]}`);
      j++;
    } else if (i < a.length && (j === b.length || at(i + 1, j) >= at(i, j + 1))) lines.push(`- ${a[i++]}`);
    else lines.push(`+ ${b[j++]}`);
  }
  return lines;
}

function nearChanges(lines: readonly string[]): string[] {
  const kept = new Set<number>();
  for (const [index, line] of lines.entries())
    if (!line.startsWith("  "))
      for (let near = index - AROUND; near <= index + AROUND; near++) kept.add(near);
  let left = 0;
  const shown: string[] = [];
  for (const [index, line] of lines.entries()) {
    if (!kept.has(index)) {
      left++;
      continue;
    }
    if (left > 0) shown.push(`  … ${pluralize(left, "equal line")}`);
    left = 0;
    shown.push(line);
  }
  return left > 0 ? [...shown, `  … ${pluralize(left, "equal line")}`] : shown;
}
