import { visibleLine } from "../runtime/abi/text/unseen.js";
import { complain } from "../runtime/process/complain.js";

export { complain, complainInLines, printJson } from "../runtime/process/complain.js";

/** Prints one line on standard error. @returns the exit code */
export function failed(text: string, code: number): number {
  complain(text);
  return code;
}

/** "1 route", "2 routes": one spelling for all commands. @param noun in the singular, with a plural in "s" */
export const pluralize = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** `auto`: colors on a terminal, unless NO_COLOR is set. */
export type ColorChoice = "auto" | "always" | "never";

export const usesColor = (choice: ColorChoice, { isTTY }: NodeJS.WriteStream): boolean =>
  choice === "always" || (choice === "auto" && isTTY === true && process.env["NO_COLOR"] === undefined);

/** Time in ms before which no progress is shown. */
const SILENT_MS = 1_000;

/** Receiver of progress: standard error, which is separate from the output of a command. */
export interface ProgressStream {
  isTTY?: boolean;
  write(text: string): unknown;
}

/**
 * The stages of work that may take long. On a terminal each stage replaces the previous one. Elsewhere, as in
 * a log of CI, each is a line, once the work has taken a second.
 */
export class Progress {
  readonly #stream: ProgressStream;
  readonly #quiet: boolean;
  readonly #now: () => number;
  readonly #began: number;

  constructor(quiet: boolean, stream: ProgressStream = process.stderr, now = () => performance.now()) {
    this.#quiet = quiet;
    this.#stream = stream;
    this.#now = now;
    this.#began = now();
  }

  /** Shows the stage that begins: "checking 120 modules". */
  stage(text: string): void {
    if (this.#quiet) return;
    const shown = visibleLine(text);
    if (this.#stream.isTTY === true) this.#stream.write(`\x1b[2K\r${shown}`);
    else if (this.#now() - this.#began >= SILENT_MS) this.#stream.write(`${this.seconds} s: ${shown}\n`);
  }

  end(): void {
    if (!this.#quiet && this.#stream.isTTY === true) this.#stream.write("\x1b[2K\r");
  }

  /** Seconds since the start: "7.1". */
  get seconds(): string {
    return ((this.#now() - this.#began) / 1_000).toFixed(1);
  }
}

/**
 * Reports whether a write error means lost output. A reader that closes early (`gwc schema | head`) and a
 * closed terminal are no error; a full or broken disk is one.
 */
export const isLost = (code: string | undefined, isTerminal: boolean): boolean =>
  code !== "EPIPE" && !(code === "EIO" && isTerminal);

/** Exits with 2 when output is lost: 1 is a verdict of check, diff, test and verify, and none was delivered. */
export function endWithTwoWhenOutputIsLost(): void {
  watch(process.stdout, ({ message }) => complain(`standard output: ${message}`));
  watch(process.stderr, () => {});
}

function watch(stream: NodeJS.WriteStream, tell: (error: NodeJS.ErrnoException) => void): void {
  // Read early, because a closed terminal no longer reports that it was one.
  const isTerminal = stream.isTTY === true;
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (!isLost(error.code, isTerminal)) return;
    tell(error);
    process.once("exit", () => {
      process.exitCode = 2;
    });
  });
}

/** Ignores lost output: a gateway that stops weeks after a lost line has no verdict. */
export function outliveLostOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
}
