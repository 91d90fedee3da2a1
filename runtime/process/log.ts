import { escapeUnseen, visible } from "../abi/text/unseen.js";

const COLOUR: Readonly<Record<LogLevel, string>> = { error: "31", warn: "33", info: "32" };
const INDENT = "\n    ";

/** Formats a log line for people; values of several lines follow below it. */
export function textLine(line: Readonly<Record<string, unknown>>, coloured: boolean): string {
  const { time, level, event, pid: _pid, ...fields } = line;
  const weight = (level ?? levelOf(String(event))) as LogLevel;
  const paint = (code: string, text: string) => (coloured ? `\x1b[${code}m${text}\x1b[0m` : text);
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  const below = entries.filter(([, value]) => typeof value === "string" && value.includes("\n"));
  const beside = entries.filter((entry) => !below.includes(entry));
  return [
    paint("2", String(time).slice(11, 23)),
    paint(COLOUR[weight], weight.padEnd(5)),
    paint("1", String(event)),
    ...beside.map(([name, value]) => `${paint("2", `${name}=`)}${shown(value)}`),
    ...below.map(([name, value]) => `${paint("2", `${name}:`)}${INDENT}${lines(String(value))}`),
  ].join(" ");
}

/** Escapes control characters, which a client may have sent and a terminal would obey. */
const lines = (text: string) => text.trimEnd().split("\n").map(visible).join(INDENT);

function shown(value: unknown): string {
  const text = typeof value === "string" && /^[^\s"=\\]+$/.test(value) ? value : JSON.stringify(value);
  return visible(text);
}

/** Maximum bytes of a line: a pattern or a stack must not fill the log with every request. */
const MAX_LINE = 8_192;
/** Characters left of each long text in a line that is too long. */
const CUT_TEXT = 512;
/** Fields left of a line that is then still too long, and maximum bytes of JSON of each. */
const FEW = 8;
const FIELD_BYTES = 900;
const CUT_NAME = 64;
/** Maximum bytes of a report: ten thousand diagnostics must not fill the log either. */
const MAX_REPORT = 65_536;

/** Maximum bytes that wait for a stopped or slow reader of the log; further lines are only counted. */
const MAX_WAITING_BYTES = 1_048_576;

/** Set by `gwc run`. Default: text on a terminal, otherwise JSON. Colours: `--color`, NO_COLOR (no-color.org). */
const LOG_FORMAT = "GWC_LOG_FORMAT";
type LogFormat = "json" | "text" | "coloured";

let on = true;
let watched = false;
/** Lines lost since the last one that was written. */
let lost = 0;

/** Switches log lines off for a gateway inside another program, or on again. */
export function switchLog(to: boolean): void {
  on = to;
}

/** Returns the format of lines: that of `gwc run`, or one that fits the output. */
function logFormat(): LogFormat {
  const told = process.env[LOG_FORMAT];
  if (told === "json" || told === "text" || told === "coloured") return told;
  if (process.stderr.isTTY !== true) return "json";
  return process.env["NO_COLOR"] ? "text" : "coloured";
}

/** Writes at most 8 kB to stderr. Fields must not contain secrets: no key, no request header, no body. */
export function log(event: string, fields: Record<string, unknown> = {}): void {
  if (!on) return;
  const line = { time: new Date().toISOString(), level: levelOf(event), pid: process.pid, event, ...fields };
  const missed = lost;
  lost = 0;
  const whole = missed === 0 ? line : { ...line, lines_lost_before: missed };
  if (!write(`${formatted(whole)}\n`)) lost += missed + 1;
}

function formatted(line: Record<string, unknown>): string {
  const format = logFormat();
  const json = logLine(line);
  return format === "json" ? json : textLine(JSON.parse(json), format === "coloured");
}

/** Returns JSON with escaped control characters, so that sizes include the six bytes of each escape. */
const jsonOf = (value: unknown, replacer?: (key: string, value: unknown) => unknown): string =>
  escapeUnseen(JSON.stringify(value, replacer));

/** Formats a line: if it is too long, long texts are cut, then further fields are left out. */
export function logLine(line: Record<string, unknown>): string {
  const whole = jsonOf(line);
  if (Buffer.byteLength(whole) <= MAX_LINE) return whole;
  const cut = jsonOf(line, (_, value: unknown) => (typeof value === "string" ? shortened(value) : value));
  if (Buffer.byteLength(cut) <= MAX_LINE) return cut;
  const kept = Object.entries(line).filter(([, value]) => typeof value !== "object" || value === null);
  const few = kept.slice(0, FEW).map(([key, value]) => {
    const text = typeof value === "string" ? bounded(value, FIELD_BYTES) : value;
    return [bounded(key, CUT_NAME), text];
  });
  return jsonOf({ ...Object.fromEntries(few), cut_from_bytes: Buffer.byteLength(whole) });
}

function bounded(text: string, bytes: number): string {
  let kept = text.slice(0, bytes);
  for (;;) {
    const size = Buffer.byteLength(jsonOf(kept));
    if (size <= bytes || kept === "") return kept.length < text.length ? `${kept}…` : text;
    kept = kept.slice(0, Math.floor((kept.length * bytes) / size));
  }
}

function shortened(text: string): string {
  return text.length > CUT_TEXT ? `${text.slice(0, CUT_TEXT)}… (${text.length} characters)` : text;
}

/** Prints diagnostics as `gwc check` does; in a JSON log each is an event. */
export function printReport(report: string): void {
  if (!on || report === "") return;
  const text = reportLines(report.trimEnd());
  if (logFormat() !== "json") write(`${text}\n`);
  else for (const diagnostic of text.split(/\n\n+/)) log("diagnostic", { text: diagnostic });
}

export function printRefusal(reason: string): void {
  const text = reason.trimEnd();
  const [first = ""] = text.split("\n", 1);
  const isJson = logFormat() === "json";
  if (!isJson || first !== text) printReport(text);
  if (isJson) log("start_refused", { reason: first });
}

/** Limits a report: its lines to 8 kB, and its size. */
export function reportLines(report: string): string {
  const lines = report.split("\n");
  const kept: string[] = [];
  let bytes = 0;
  for (const line of lines) {
    const text = Buffer.byteLength(line) <= MAX_LINE ? line : `${line.slice(0, MAX_LINE / 4)}…`;
    bytes += Buffer.byteLength(text) + 1;
    if (bytes > MAX_REPORT - CUT_TEXT) break;
    kept.push(text);
  }
  const left = lines.length - kept.length;
  return left === 0 ? kept.join("\n") : `${kept.join("\n")}\n… ${left} more lines: run gwc check`;
}

/** A log that cannot be written (disk full, its reader stopped) must neither end the process nor fill its memory. */
function write(text: string): boolean {
  if (!watched) {
    watched = true;
    process.stderr.on("error", () => {
      lost += 1;
    });
  }
  if (process.stderr.writableLength > MAX_WAITING_BYTES) return false;
  process.stderr.write(text);
  return true;
}

type LogLevel = "error" | "warn" | "info";

/** Events that were requested, or are part of normal operation. */
const INFO = new Set([
  "admin_write",
  "expired",
  "handed_over",
  "logs_reopened",
  "ready",
  "reloaded",
  "route_released",
  "run_directory_removed",
  "secrets_encrypted",
  "serves_before_compile",
  "shipper_elected",
  "start_stage",
  "stopping",
  "which_route_live",
]);

/** Events that need an operator: a loss, a final refusal, or a part that does not work until it is repaired. */
const ERROR =
  /_(?:failed|unusable|unreadable|damaged|refused|stalled|unresponsive|late)$|^(?:diagnostic|last_known_good|write_not_stored|impossible_event|log_not_spooled|child_not_started)$/;

/** Returns the level of an event by its name, so that it is always the same; unknown events are warnings. */
function levelOf(event: string): LogLevel {
  if (INFO.has(event)) return "info";
  return ERROR.test(event) ? "error" : "warn";
}
