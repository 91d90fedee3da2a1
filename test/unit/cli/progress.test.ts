import { describe, expect, it } from "vitest";
import { Progress } from "../../../cli/output.js";

/** Output of a build whose stages begin at these milliseconds. */
function printed(at: readonly number[], { isTTY = false, quiet = false } = {}): string {
  let text = "";
  let now = 0;
  const stream = { isTTY, write: (more: string) => (text += more) };
  const progress = new Progress(quiet, stream, () => now);
  for (const [i, ms] of at.entries()) {
    now = ms;
    progress.stage(`stage ${i + 1}`);
  }
  progress.end();
  return text;
}

describe("the progress of a command", () => {
  it("the progress of a command without a terminal prints nothing within the first second", () => {
    expect(printed([0, 400, 999])).toBe("");
  });

  it("the progress of a command without a terminal prints one line a stage after the first second", () => {
    expect(printed([0, 1_500, 7_140])).toBe("1.5 s: stage 2\n7.1 s: stage 3\n");
  });

  it("the progress of a command on a terminal is one line that is cleared at the end", () => {
    expect(printed([0, 10], { isTTY: true })).toBe("\x1b[2K\rstage 1\x1b[2K\rstage 2\x1b[2K\r");
  });

  it("the progress of a command prints nothing with --quiet", () => {
    expect(printed([0, 2_000], { quiet: true }) + printed([0, 10], { isTTY: true, quiet: true })).toBe("");
  });
});
