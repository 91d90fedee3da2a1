import { replacingUnseen } from "../../runtime/abi/text/unseen.js";
import { appendTo } from "../model/append-to.js";
import { type Diagnostic, locationText, type Note, type Severity, type Span } from "../model/diagnostic.js";
import { SourceLines, type SourceText } from "../model/source.js";
import { addressCredentials, starred } from "../variables/credential-text.js";

// Blocks that terminals show two cells wide: CJK, Hangul, full-width forms, pictographs (Unicode 15, East
// Asian Width W and F).
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0xa4cf],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f300, 0x1f64f],
  [0x1f680, 0x1f6ff],
  [0x1f900, 0x1f9ff],
  [0x20000, 0x3fffd],
];

/** Blanks as wide as the text. Tabs are kept, so that they end in the same columns as in the line above. */
function paddingFor(text: string): string {
  return [...text].map((character) => (character === "\t" ? "\t" : " ".repeat(cells(character)))).join("");
}

/** Width in terminal cells of a text without tabs. */
function width(text: string): number {
  return [...text].reduce((sum, character) => sum + cells(character), 0);
}

function cells(character: string): number {
  if (/^(?:\p{Mn}|\p{Cf})$/u.test(character)) return 0;
  const code = character.codePointAt(0) ?? 0;
  return WIDE.some(([from, to]) => code >= from && code <= to) ? 2 : 1;
}

export interface TextOptions {
  /** A diagnostic of another file is shown without its line. */
  sources: readonly SourceText[];
  /** Spans of secrets, which are never shown. */
  masks?: readonly Span[];
  /** Adds ANSI colours. */
  color?: boolean;
}

/** Maximum characters: longer lines (JSON in one line) are cut around the caret. */
const LINE = 140;

const COLORS = {
  error: "31;1",
  warning: "33;1",
  note: "36;1",
  help: "32;1",
  gutter: "34",
  place: "1",
} as const;
type Paint = (style: keyof typeof COLORS, text: string) => string;

/** Renders location, message, source line with a caret, notes and help, separated by blank lines. */
export function renderText(diagnostics: readonly Diagnostic[], options: TextOptions): string {
  const lines = new MaskedLines(options.sources, options.masks ?? []);
  const paint: Paint = options.color
    ? (style, text) => `\x1b[${COLORS[style]}m${text}\x1b[0m`
    : (_, text) => text;
  return diagnostics.map((one) => finding(one, lines, paint)).join("\n");
}

/** Returns "2 errors, 1 warning"; "" without diagnostics. */
export function countText(diagnostics: readonly Diagnostic[]): string {
  const count = (severity: Severity) => {
    const number = diagnostics.filter((one) => one.severity === severity).length;
    return number === 0 ? [] : [`${number} ${severity}${number === 1 ? "" : "s"}`];
  };
  return [...count("error"), ...count("warning"), ...count("note")].join(", ");
}

function finding(one: Diagnostic, lines: MaskedLines, paint: Paint): string {
  const place = one.span === undefined ? "" : `${paint("place", placeText(one.span))} `;
  const head = `${place}${paint(one.severity, one.severity)} ${one.code}: ${printable(one.message)}`;
  const shown = [
    head,
    ...excerpt(one.span, one.severity, lines, paint),
    ...one.notes.map((n) => note(n, paint)),
  ];
  if (one.help !== undefined) shown.push(`  ${paint("help", "help")}: ${printable(one.help)}`);
  return shown.map((line) => `${line}\n`).join("");
}

function placeText({ file, start }: Span): string {
  return locationText({ file: printable(file), start });
}

function note({ message, span }: Note, paint: Paint): string {
  const place = span === undefined ? "" : `${placeText(span)} `;
  return `  ${place}${paint("note", "note")}: ${printable(message)}`;
}

/** Source line with its number, and the caret line below it. */
function excerpt(span: Span | undefined, severity: Severity, lines: MaskedLines, paint: Paint): string[] {
  const whole = span && lines.at(span.file, span.start.line);
  if (span === undefined || whole === undefined) return [];
  const start = Math.min(span.start.column - 1, whole.length);
  const end = span.end.line === span.start.line ? span.end.column - 1 : whole.trimEnd().length;
  const { text: shown, offset } = cut(whole, start);
  const text = printable(shown);
  const before = text.slice(0, start - offset);
  const marked = text.slice(start - offset, Math.max(end, start) - offset);
  const caret = "^".repeat(Math.max(1, width(marked.replaceAll("\t", " "))));
  const number = String(span.start.line);
  const empty = paint("gutter", `${" ".repeat(number.length)} |`);
  return [
    empty,
    `${paint("gutter", `${number} |`)} ${text}`.trimEnd(),
    `${empty} ${paddingFor(before)}${paint(severity, caret)}`,
  ];
}

/** Cuts to LINE characters around a column; cut ends become "…". */
function cut(line: string, column: number): { text: string; offset: number } {
  if (line.length <= LINE) return { text: line, offset: 0 };
  const from = Math.max(0, Math.min(column - LINE / 2, line.length - LINE));
  const middle = line.slice(from, from + LINE);
  const head = from > 0 ? `…${middle.slice(1)}` : middle;
  return { text: from + LINE < line.length ? `${head.slice(0, -1)}…` : head, offset: from };
}

/** Replaces control characters, which must not reach a terminal, and those that reverse text. Columns stay. */
function printable(text: string): string {
  return replacingUnseen(text.replaceAll("\n", "\ufffd"));
}

/** Lines for output, with secrets masked character by character. */
export class MaskedLines {
  readonly #lines: SourceLines;
  readonly #masks = new Map<string, Span[]>();
  /** Masked lines by file and number: one of 1 MB may have 10,000 masks and as many diagnostics. */
  readonly #covered = new Map<string, string>();

  constructor(sources: readonly SourceText[], masks: readonly Span[]) {
    this.#lines = new SourceLines(sources);
    for (const mask of masks) appendTo(this.#masks, mask.file, mask);
  }

  /** @param number from 1 @returns the line without its end; undefined if there is none */
  at(file: string, number: number): string | undefined {
    const line = this.#lines.at(file, number);
    if (line === undefined) return undefined;
    const key = `${number} ${file}`;
    let shown = this.#covered.get(key);
    if (shown === undefined) {
      const bare = starred(line, addressCredentials(line));
      shown = covered(bare, number, this.#masks.get(file) ?? []);
      this.#covered.set(key, shown);
    }
    return shown;
  }
}

/** Name of a variable, which reveals nothing about its value. A default (`:=`) is a value. */
const VARIABLE = /(\$\{\{\s*[A-Za-z_][A-Za-z0-9_]*\s*\}\})/;

function covered(line: string, number: number, masks: readonly Span[]): string {
  const places = masks
    .filter(({ start, end }) => start.line <= number && end.line >= number)
    .map(({ start, end }) => ({
      from: start.line === number ? start.column - 1 : 0,
      to: end.line === number ? end.column - 1 : line.length,
    }))
    .sort((a, b) => a.from - b.from);
  let shown = "";
  let at = 0;
  for (const { from, to } of places) {
    if (to <= at) continue;
    shown += line.slice(at, Math.max(at, from)) + withoutLiterals(line.slice(Math.max(at, from), to));
    at = to;
  }
  return shown + line.slice(at);
}

function withoutLiterals(text: string): string {
  const parts = text.split(VARIABLE);
  const isVariable = parts.length === 3 && /^["']?$/.test(parts[0] ?? "") && parts[0] === parts[2];
  if (isVariable) return text;
  return parts.map((part, i) => (i % 2 === 1 ? part : part.replace(/[^\s]/g, "*"))).join("");
}
