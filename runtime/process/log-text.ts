import { visible } from "../abi/text/unseen.js";
import { type LogLevel, levelOf } from "./log-level.js";

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
