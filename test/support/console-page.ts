import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CLI } from "./cli.js";

/** A command of a page, and its output on the page; undefined if the page shows none. */
export interface ShownCommand {
  command: string;
  output: string | undefined;
}

/**
 * Commands of a page in order: `sh` blocks as a whole without output, and each "$ command" of `console`
 * blocks with the lines below it.
 */
export function commandsOf(page: string): ShownCommand[] {
  return Array.from(page.matchAll(/^```(sh|console)\n(.*?)^```$/gms)).flatMap(
    ([, kind, text = ""]): ShownCommand[] =>
      kind === "sh"
        ? [{ command: text, output: undefined }]
        : text
            .split(/^\$ /m)
            .slice(1)
            .map((part) => {
              const [command = "", ...lines] = part.split("\n");
              return { command, output: lines.join("\n").trimEnd() };
            }),
  );
}

/** Pattern of the shown output: `…` matches anything on a line, or any lines if it is alone on a line. */
export function patternOf(shown: string): RegExp {
  const lines = shown.split("\n").map((line) =>
    line === "…"
      ? "(?:.*\n?)*?"
      : line
          .split("…")
          .map((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"))
          .join(".*"),
  );
  return new RegExp(`^${lines.join("\n").replaceAll("*?\n", "*?")}$`);
}

/** "1.2 s: running 2 tests": printed for work that takes over a second, as on slow machines. */
const PROGRESS = /^\d+\.\d s: .*\n?/gm;

/** One bash for all commands of a page, so that variables, functions and jobs persist. */
export class PageShell {
  readonly #bash: ChildProcessWithoutNullStreams;
  #output = "";
  #count = 0;

  /** @param before commands that the page does not show */
  constructor(directory: string, environment: Record<string, string>, before: string) {
    this.#bash = spawn("bash", ["--norc", "--noprofile"], { cwd: directory, env: environment });
    this.#bash.stdout.on("data", (text: Buffer) => (this.#output += text));
    this.#bash.stdin.write(`exec 2>&1\n${before}\n`);
  }

  /** Output and errors of a command. Timeout: 120 s. */
  async run(command: string): Promise<string> {
    const mark = `--- end of command ${++this.#count} ---`;
    this.#output = "";
    this.#bash.stdin.write(`${command}\necho '${mark}'\n`);
    for (const end = Date.now() + 120_000; !this.#output.includes(mark); ) {
      if (Date.now() > end || this.#bash.exitCode !== null)
        throw new Error(`no end of ${command}\n${this.#output}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const printed = this.#output.slice(0, this.#output.indexOf(mark)).trimEnd();
    return printed.replace(PROGRESS, "");
  }

  /** Stops the shell and its jobs. */
  async close(): Promise<void> {
    const ended = once(this.#bash, "exit");
    this.#bash.stdin.end("kill $(jobs -p) 2> /dev/null; wait; exit 0\n");
    await ended;
  }
}

/** Shell in a temporary directory, in which `gwc` is the built program and git has an author. */
export function pageShell(directory: string): PageShell {
  const bin = join(directory, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "gwc"), `#!/bin/sh\nexec "${process.execPath}" "${CLI}" "$@"\n`, { mode: 0o755 });
  const path = `${bin}:${process.env["PATH"]}`;
  const author = "export GIT_{AUTHOR,COMMITTER}_{NAME,EMAIL}=shop@example.com";
  return new PageShell(
    directory,
    { PATH: path, HOME: directory, NO_COLOR: "1", GWC_LOG_FORMAT: "json" },
    author,
  );
}
