import { visible } from "../runtime/abi/text/unseen.js";

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
    const shown = visible(text);
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
