import { createHash } from "node:crypto";
import type { CaptchaStatistics, SiteKeyStatistics } from "../service/statistics.js";

/** System fonts and colours only: the page loads nothing. */
const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 2rem auto; max-width: 70rem; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { padding: .35rem .7rem; text-align: right; border-bottom: 1px solid #8886; font-variant-numeric: tabular-nums; }
th { font-weight: 600; } th:first-child, td:first-child { text-align: left; }
tbody tr:first-child { font-weight: 600; }
code { font-family: ui-monospace, monospace; }
`;

export const PAGE_POLICY = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

const COLUMNS: readonly [title: string, cell: (count: SiteKeyStatistics) => string][] = [
  ["Tokens issued", ({ issued }) => number(issued)],
  ["Shown a task", ({ challenged }) => number(challenged)],
  ["Tasks solved", ({ solved }) => number(solved)],
  ["Tasks failed", ({ failed }) => number(failed)],
  ["Refused", ({ refused }) => number(refused)],
  ["Verified", ({ verified }) => number(verified)],
  ["Rejected", ({ rejected }) => number(Object.values(rejected).reduce((sum, count) => sum + count, 0))],
  ["Time to solve, median", ({ time_to_solve_ms: time }) => (time ? seconds(time.median) : "–")],
  ["90th percentile", ({ time_to_solve_ms: time }) => (time ? seconds(time.p90) : "–")],
];

export function statisticsPage({ since, total, site_keys, under_attack }: CaptchaStatistics): string {
  const rows: [string, SiteKeyStatistics][] = [["All", total], ...Object.entries(site_keys)];
  const counts = table(
    ["Site key", ...COLUMNS.map(([title]) => title)],
    rows.map(([name, count]) => [code(name), ...COLUMNS.map(([, cell]) => cell(count))]),
  );
  const reasons = Object.entries(total.rejected).sort(([, a], [, b]) => b - a);
  const rejected =
    reasons.length === 0
      ? "<p>None.</p>"
      : table(
          ["Reason", "Verifications"],
          reasons.map(([reason, count]) => [code(reason), number(count)]),
        );
  const attacked = Object.entries(under_attack);
  const attacks = table(
    ["Site key", "Level", "Since"],
    attacked.map(([name, { level, since }]) => [code(name), number(level), moment(since)]),
  );
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Captcha statistics</title>
<style>${STYLE}</style></head>
<body>
<h1>Captcha statistics</h1>
<p>Since ${moment(since)}, when the captcha process was started.</p>
<div class="wide">${counts}</div>
<h2>Verifications without success</h2>
<div class="wide">${rejected}</div>
<h2>Under attack</h2>
<div class="wide">${attacked.length === 0 ? "<p>None.</p>" : attacks}</div>
</body>
</html>
`;
}

const moment = (time: string) =>
  `<time datetime="${escaped(time)}">${escaped(time.replace("T", " ").replace(/\.\d+Z$/, " UTC"))}</time>`;

/** Cells are HTML. */
function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const head = titles.map((title) => `<th scope="col">${escaped(title)}</th>`).join("");
  const body = rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`);
  return `<table><thead><tr>${head}</tr></thead><tbody>\n${body.join("\n")}\n</tbody></table>`;
}

const code = (text: string) => (text === "All" ? text : `<code>${escaped(text)}</code>`);
const number = (value: number) => value.toLocaleString("en");
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? "");
}
