import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { stripVTControlCharacters } from "node:util";
import { PATIENCE_MS } from "./patience.js";

/** Home, or the first line again: what comes after is a new picture. */
const PICTURE = /\x1b\[(?:1;1)?H|\x1b\[1?G/;

/** A program in a pseudo-terminal of `script` (util-linux), as somebody has it who sits there. */
export class Terminal {
  readonly process: ChildProcessWithoutNullStreams;
  #all = "";
  #typedAt = 0;

  /** @param command for the shell; @param size columns and lines */
  constructor(command: string, env: NodeJS.ProcessEnv, [columns, lines]: [number, number] = [120, 30]) {
    const sized = `stty cols ${columns} rows ${lines}; exec ${command}`;
    this.process = spawn("script", ["-qefc", sized, "/dev/null"], {
      env: { ...env, TERM: "xterm-256color" },
    });
    this.process.stdout.on("data", (bytes: Buffer) => {
      this.#all += bytes.toString("utf8");
    });
  }

  /** Everything that was written, escapes too. */
  get raw(): string {
    return this.#all;
  }

  /** What was written since the last key, without escapes. */
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

  /** Until something was written since the last key that matches. */
  async shows(pattern: RegExp): Promise<string> {
    for (const end = Date.now() + PATIENCE_MS; ; ) {
      const found = pattern.exec(this.since);
      if (found) return found[0];
      if (Date.now() > end)
        throw new Error(`the terminal does not show ${pattern}:\n${this.since.slice(-4_000)}`);
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }

  /** @returns the program's exit code */
  async ended(): Promise<number | null> {
    if (this.process.exitCode === null) await once(this.process, "exit");
    return this.process.exitCode;
  }
}
