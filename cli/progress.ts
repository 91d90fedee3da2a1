import { visible } from "../runtime/abi/text/unseen.js";

/** Shorter work is done before anybody wonders. */
const SILENT_MS = 1_000;

/** Where progress is told: standard error, which mixes with no command's own output. */
export interface ProgressStream {
  isTTY?: boolean;
  write(text: string): unknown;
}

/**
 * The stages of work that may take long. On a terminal each takes the place of the one before; elsewhere (a log of CI) each is a
 * line of its own, once the work has taken a second.
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

  /** Says what begins now: "checking 120 modules". */
  stage(text: string): void {
    if (this.#quiet) return;
    const shown = visible(text);
    if (this.#stream.isTTY === true) this.#stream.write(`\x1b[2K\r${shown}`);
    else if (this.#now() - this.#began >= SILENT_MS) this.#stream.write(`${this.seconds} s: ${shown}\n`);
  }

  /** Leaves a terminal's line to what comes next. */
  end(): void {
    if (!this.#quiet && this.#stream.isTTY === true) this.#stream.write("\x1b[2K\r");
  }

  /** Since it began: "7.1". */
  get seconds(): string {
    return ((this.#now() - this.#began) / 1_000).toFixed(1);
  }
}
