import {
  type Grouped,
  grouped,
  othersText,
  type Report,
  type ReportedChange,
} from "../../compiler/diff/report.js";
import { visibleLine } from "../../runtime/abi/text/unseen.js";
import {
  conditionsOf,
  differenceLines,
  NO_EXAMPLE,
  outcomeText,
  subjectOf,
  summaryText,
  titleOf,
  VERDICTS,
} from "./words.js";

const CODES = { red: 31, green: 32, yellow: 33, dim: 2, bold: 1 } as const;
type Paint = (text: string, style?: keyof typeof CODES) => string;

const COLOURED: Paint = (text, style) =>
  style === undefined ? visibleLine(text) : `\x1b[${CODES[style]}m${visibleLine(text)}\x1b[0m`;
const PLAIN: Paint = (text) => visibleLine(text);

const SIGNS = { new: "+", gone: "-" } as const;

export function textReport(report: Report, color: boolean): string {
  const paint = color ? COLOURED : PLAIN;
  const { before, after, changes, notes } = report;
  const style = { none: "green", additive: "yellow", changed: "red" } as const;
  return [
    paint(`${before} → ${after}: ${summaryText(report)}`),
    ...notes.map((note) => paint(`note: ${note}`, "yellow")),
    "",
    ...grouped(changes).flatMap((group) => [...changeLines(group, paint), ""]),
    paint(VERDICTS[report.severity], style[report.severity]),
    "",
  ].join("\n");
}

function changeLines({ change, others }: Grouped, paint: Paint): string[] {
  const { kind, place, removed, added, example, note } = change;
  const sign = SIGNS[kind as keyof typeof SIGNS] ?? "~";
  const where = place.after ?? place.before;
  const head = `${sign} ${subjectOf(change)}: ${titleOf(change)}`;
  return [
    `${paint(head, "bold")}${where === null ? "" : paint(`  (${where})`, "dim")}`,
    ...removed.map((line) => paint(`    - ${line}`, "red")),
    ...added.map((line) => paint(`    + ${line}`, "green")),
    ...(change.severity === "none" ? [] : exampleLines(example, paint)),
    ...(note === null ? [] : [paint(`    ${note}`)]),
    ...(others.length === 0 ? [] : [paint(`    ${othersText(others)}`)]),
  ];
}

function exampleLines(example: ReportedChange["example"], paint: Paint): string[] {
  if (example === null) return [paint(`    ${NO_EXAMPLE}`, "yellow")];
  return [
    paint(`    example: ${example.request}`),
    ...conditionsOf(example).map((line) => paint(`             ${line}`)),
    paint(`      before: ${outcomeText(example.before)}`),
    paint(`      after:  ${outcomeText(example.after)}`),
    ...differenceLines(example).map((line) => paint(`      ${line}`)),
  ];
}
