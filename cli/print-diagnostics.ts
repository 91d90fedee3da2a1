import "../plugins/index.js";
import type { Diagnostic, Span } from "../compiler/model/diagnostic.js";
import { type Format, render } from "../compiler/report/render.js";
import { countText } from "../compiler/report/text.js";
import { masksOf } from "../compiler/secrets/secret-spans.js";
import type { Compiled } from "./input.js";

/** `auto`: colors on a terminal, unless NO_COLOR is set. */
export type ColorChoice = "auto" | "always" | "never";

interface PrintOptions {
  color?: ColorChoice | undefined;
  /** Spans of the sources that no line may show, in addition to their secrets. */
  hidden?: readonly Span[];
  /** The command has `--format json`, which prints the omitted notes too. */
  hasJson?: boolean;
}

type Printed = Pick<Compiled, "sources" | "diagnostics" | "environment" | "policy" | "result">;

/**
 * Machine formats use standard output and print a document even without diagnostics, so that a pipe always
 * receives one. Text uses standard error, where it does not mix with the output of the command.
 */
export function printDiagnostics(
  format: Format,
  { sources: files, diagnostics, environment, policy, result }: Printed,
  { color: choice = "auto", hidden = [], hasJson = false }: PrintOptions = {},
): void {
  const { shown, left } =
    format === "text" ? fewAlike(diagnostics) : { shown: diagnostics, left: new Map<string, number>() };
  const sources = policy === undefined ? files : [...files, policy];
  const fits = process.stderr.isTTY === true && process.env["NO_COLOR"] === undefined;
  const color = choice === "always" || (choice === "auto" && fits);
  const masks = [...masksOf(sources, shown, environment, result?.credentialNames), ...hidden];
  const text = render(format, shown, { sources, masks, color });
  if (format !== "text") process.stdout.write(text);
  else if (diagnostics.length > 0)
    process.stderr.write(
      `${text}${[...left].map((one) => moreText(one, hasJson)).join("")}${countText(diagnostics)}\n`,
    );
}

/** Diagnostics that a command prints: `--no-notes` omits notes. */
export const noted = (diagnostics: readonly Diagnostic[], { notes }: { notes?: boolean }): Diagnostic[] =>
  diagnostics.filter(({ severity }) => notes !== false || severity !== "note");

/** Maximum number of notes of one code in text: routes made from one template all have the same note. */
const MAX_ALIKE = 100;

/** Selects all errors and warnings, and the first notes of each code; counts the others by code. */
function fewAlike(diagnostics: readonly Diagnostic[]): { shown: Diagnostic[]; left: Map<string, number> } {
  const met = new Map<string, number>();
  const shown = diagnostics.filter(({ code, severity }) => {
    if (severity !== "note") return true;
    const number = (met.get(code) ?? 0) + 1;
    met.set(code, number);
    return number <= MAX_ALIKE;
  });
  const left = [...met].filter(([, number]) => number > MAX_ALIKE);
  return { shown, left: new Map(left.map(([code, number]) => [code, number - MAX_ALIKE])) };
}

const moreText = ([code, number]: [string, number], hasJson: boolean): string =>
  `\nnote ${code}: ${number} more like these${hasJson ? ", which `--format json` prints" : ""}\n`;
