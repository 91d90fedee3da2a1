import type { Outcome } from "../../compiler/diff/change.js";
import {
  type Grouped,
  grouped,
  KINDS,
  othersText,
  type Report,
  type ReportedChange,
  type ReportedExample,
} from "../../compiler/diff/report.js";
import { visibleLine } from "../../runtime/abi/text/unseen.js";
import { pluralize } from "../output.js";

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

const TITLES: Readonly<Record<ReportedChange["kind"], string>> = {
  new: "new",
  gone: "removed",
  renamed: "renamed",
  precedence: "precedence changed",
  matching: "matching changed",
  actions: "actions changed",
  shared: "shared part changed",
  settings: "settings changed",
  operation: "settings changed that do not affect responses",
};

/** Title of a change on one line, without its subject. */
export function titleOf({ kind, to }: Pick<ReportedChange, "kind" | "to">): string {
  if (kind === "precedence") return `requests go to route "${to}" now`;
  if (kind === "renamed" || (kind === "shared" && to !== null)) return `is called "${to}" now`;
  return TITLES[kind];
}

export function subjectOf({ kind, subject }: Pick<ReportedChange, "kind" | "subject">): string {
  if (kind === "shared") return subject;
  return kind === "settings" || kind === "operation" ? "the gateway's settings" : `route "${subject}"`;
}

/** "1 new, 2 actions changed; 40 routes unchanged" */
export function summaryText({ summary }: Pick<Report, "summary">): string {
  const changed = KINDS.filter((kind) => summary[kind] > 0).map((kind) => `${summary[kind]} ${TITLES[kind]}`);
  const { unchanged } = summary;
  const rest = `${pluralize(unchanged, "route")} unchanged`;
  return changed.length === 0 ? rest : `${changed.join(", ")}; ${rest}`;
}

export const VERDICTS: Readonly<Record<Report["severity"], string>> = {
  none: "Nothing changes for traffic.",
  additive: "Only requests that matched no route before get a different response.",
  changed: "Requests that matched a route before get, or may get, a different response.",
};

/** "route shop, 200 from http://10.0.0.1:80" */
export function outcomeText({ route, upstream, status }: Outcome): string {
  const by = route === null ? "no route" : `route ${route}`;
  return `${status}, ${by}${upstream === null ? "" : `, ${upstream}`}`;
}

/** Parts of the request beyond its first line, and of the upstream's response if it is not the default one. */
export function conditionsOf(example: ReportedExample): string[] {
  const { headers, body, client, client_port, protocol, tls, server_address, port, chance, upstream } =
    example;
  return [
    ...headers,
    ...(client === PLAIN_CLIENT ? [] : [`from ${client}`]),
    ...(client_port === null ? [] : [`from port ${client_port}`]),
    ...(protocol === "HTTP/1.1" ? [] : [`as ${protocol}`]),
    ...(server_address === null ? [] : [`to address ${server_address}`]),
    ...(port === null ? [] : [`to port ${port}`]),
    ...(chance === null ? [] : [`when chance gives ${chance}`]),
    ...Object.entries(tls ?? {}).map(([name, value]) => `with $${name} ${JSON.stringify(value)}`),
    ...(body === "" ? [] : [`with ${bodyText(body)}`]),
    ...(upstream.status === 200 ? [] : [`when the upstream responds with ${upstream.status}`]),
    ...upstream.headers.slice(1).map((line) => `when the upstream responds with ${line}`),
    ...(upstream.body === PLAIN_BODY ? [] : [`when the upstream's body is ${JSON.stringify(upstream.body)}`]),
  ];
}

/** JSON has the whole body; a longer one is only in the example for its length. */
const MAX_BODY = 200;

const bodyText = (body: string) =>
  body.length > MAX_BODY ? `a body of ${body.length} bytes` : `the body ${JSON.stringify(body)}`;

const PLAIN_CLIENT = "192.0.2.1";
const PLAIN_BODY = "hello from upstream";

/** Maximum number of differences printed for one example; JSON has all. */
const MAX_DIFFERENCES = 6;

/** Differences that the lines of the outcomes do not show already. */
export function differenceLines({ differs }: ReportedExample): string[] {
  const isNew = differs.some(
    ({ name, before, after }) => name === "upstream" && (before === null || after === null),
  );
  const told = differs.filter(
    ({ name }) =>
      name !== "response status" && name !== "upstream" && !(isNew && name.startsWith("upstream request")),
  );
  const lines = told.slice(0, MAX_DIFFERENCES).map(differenceText);
  return told.length > MAX_DIFFERENCES ? [...lines, `and ${told.length - MAX_DIFFERENCES} more`] : lines;
}

const quoted = (value: string | null) => (value === null ? "absent" : JSON.stringify(value));

const differenceText = ({ name, before, after }: ReportedExample["differs"][number]): string =>
  before === after ? `${name}: another value` : `${name}: ${quoted(before)} → ${quoted(after)}`;

export const NO_EXAMPLE = "no example found: every sample request gets the same response";
