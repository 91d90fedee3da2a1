import { type Grouped, grouped, othersText, type Report } from "../../compiler/diff/report.js";
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
} from "./text-report.js";

/** Limit of the comment; forges commonly allow 65,536 characters. Changes beyond it are only counted. */
const LONGEST = 60_000;

const SEVERITIES: Readonly<Record<Report["severity"], string>> = {
  none: "nothing",
  additive: "adds",
  changed: "**changes responses**",
};

export function markdownReport(report: Report): string {
  const { before, after, changes, severity } = report;
  const notes = report.notes.map((note) => `\nNote: ${escaped(note)}.\n`).join("");
  const head = `### What changes for traffic: ${code(before)} → ${code(after)}\n\n${VERDICTS[severity]} ${summaryText(report)}.\n${notes}`;
  if (changes.length === 0) return head;
  const table = ["| What | Change | For traffic | Example |", "| --- | --- | --- | --- |"];
  const parts: string[] = [];
  let length = head.length;
  const groups = grouped(changes);
  let left = groups.length;
  for (const group of groups) {
    const [row, part] = [rowOf(group), detailsOf(group)];
    length += row.length + part.length + 2;
    if (length > LONGEST) break;
    table.push(row);
    parts.push(part);
    left--;
  }
  const rest = left === 0 ? "" : `\nAnd ${left} more: \`gwc diff\` prints them all.\n`;
  return `${head}\n${table.join("\n")}\n\n${parts.join("\n")}${rest}`;
}

function rowOf({ change, others }: Grouped): string {
  const { example, severity } = change;
  const cells = [
    `${subjectOf(change)}${others.length === 0 ? "" : ` and ${others.length} more`}`,
    titleOf(change),
    SEVERITIES[severity],
    example === null ? (severity === "none" ? "" : "none found") : code(example.request),
  ];
  return `| ${cells.map((cell) => (cell.startsWith("`") || cell.startsWith("**") ? cell.replaceAll("|", "\\|") : escaped(cell))).join(" | ")} |`;
}

function detailsOf({ change, others }: Grouped): string {
  const { place, severity, removed, added, example, note } = change;
  const where = place.after ?? place.before;
  const lines = [
    ...removed.map((line) => `- ${line}`),
    ...added.map((line) => `+ ${line}`),
    ...(example === null
      ? severity === "none"
        ? []
        : [`! ${NO_EXAMPLE}`]
      : [
          `  ${example.request}`,
          ...conditionsOf(example).map((line) => `    ${line}`),
          `- ${outcomeText(example.before)}`,
          `+ ${outcomeText(example.after)}`,
          ...differenceLines(example).map((line) => `! ${line}`),
        ]),
    ...(note === null ? [] : [`! ${note}`]),
    ...(others.length === 0 ? [] : [`! ${othersText(others)}`]),
  ];
  const title = `${html(`${subjectOf(change)}: ${titleOf(change)}`)}${where === null ? "" : ` <code>${html(where)}</code>`}`;
  const block = lines.map(visibleLine).join("\n");
  const ticks = fence(block);
  return `<details><summary>${title}</summary>\n\n${ticks}diff\n${block}\n${ticks}\n</details>\n`;
}

/** Fence longer than any run of backticks in the text, so that nothing ends the block early. */
function fence(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  return "`".repeat(longest + 1);
}

const html = (text: string) =>
  visibleLine(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
const escaped = (text: string) => html(text).replace(/[\\`*_[\]|#~]/g, "\\$&");

function code(text: string): string {
  const one = visibleLine(text);
  const ticks = fence(one).slice(2);
  const pad = one.startsWith("`") || one.endsWith("`") ? " " : "";
  return `${ticks}${pad}${one}${pad}${ticks}`;
}
