import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { stripVTControlCharacters } from "node:util";
import { PATIENCE_MS } from "./patience.js";

/** Escapes to the home position or the first line, with which a new picture begins. */
const PICTURE = /\x1b\[(?:1;1)?H|\x1b\[1?G/;

/** A program in a pseudo-terminal of `script` (util-linux), as a user runs it. */
export class Terminal {
  readonly process: ChildProcessWithoutNullStreams;
  #all = "";
  #typedAt = 0;

  /**
   * @param command command of the shell
   * @param size columns and lines
   */
  constructor(command: string, env: NodeJS.ProcessEnv, [columns, lines]: [number, number] = [120, 30]) {
    const sized = `stty cols ${columns} rows ${lines}; exec ${command}`;
    this.process = spawn("script", ["-qefc", sized, "/dev/null"], {
      env: { ...env, TERM: "xterm-256color" },
    });
    this.process.stdout.on("data", (bytes: Buffer) => {
      this.#all += bytes.toString("utf8");
    });
  }

  /** Whole output with escapes. */
  get raw(): string {
    return this.#all;
  }

  /** Output since the last key, without escapes. */
  get since(): string {
    return stripVTControlCharacters(this.#all.slice(this.#typedAt).split(PICTURE).join("\n")).replaceAll(
      "\r",
      "",
    );
  }

  type(keys: string): void {
    this.#typedAt = this.#all.length;
    this.process.stdin.write(keys);
  }

  /**
   * Waits until the output since the last key matches.
   * @returns the match
   */
  async shows(pattern: RegExp): Promise<string> {
    for (const end = Date.now() + PATIENCE_MS; ; ) {
      const found = pattern.exec(this.since);
      if (found) return found[0];
      if (Date.now() > end)
        throw new Error(`the terminal does not show ${pattern}:\n${this.since.slice(-4_000)}`);
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }

  /** @returns the exit code of the program */
  async ended(): Promise<number | null> {
    if (this.process.exitCode === null) await once(this.process, "exit");
    return this.process.exitCode;
  }
}
