import { describe, expect, it } from "vitest";
import { read } from "../../architecture/sources.js";
import { telemetry } from "../../support/captcha-api.js";
import { programHour } from "../../support/captcha-program.js";

const text = read("docs/captcha/threat-model.md");
const tasks = read("docs/captcha/tasks.md");

/** Cells of the row of a table that begins with a word, in the section of a heading. */
function row(page: string, section: string, name: string): string[] {
  const body = page.split(/^## /m).find((part) => part.startsWith(`${section}\n`)) ?? "";
  const line = body.split("\n").find((one) => one.startsWith(`| ${name}`)) ?? "";
  const cells = line.split("|").map((cell) => cell.trim());
  return cells.slice(1, -1);
}

const measured = (name: string) => row(text, "What was measured", name)[1] ?? "";
const solved = (name: string) => row(tasks, "What simple programs solve", name).slice(2, 5);
const thousands = (count: number) => count.toLocaleString("en");

describe("docs/captcha/threat-model.md says what was measured", () => {
  it("of guesses and of simple programs: as docs/captcha/tasks.md has it", () => {
    const odds = (name: string) => row(tasks, "How hard they are to guess", name)[1] ?? "";
    const [shapes] = /1 in [\d,]+/.exec(odds("shapes")) ?? [];
    const [rings] = /1 in [\d,]+/.exec(odds("rings")) ?? [];
    expect(row(text, "It stops", "blind guessing")[1]).toContain(`${rings} for rings, ${shapes} for shapes`);
    const [first, second, last] = solved("shapes");
    expect(first).toBe(second);
    expect(measured("compares shapes")).toBe(`${first} of tasks at levels 0 and 1, ${last} at level 2`);
    const [zero, one, two] = solved("rings").map((share) => share.replace(" %", ""));
    expect(measured("correlates the edges")).toBe(`${zero}, ${one} and ${two} %`);
    expect(solved("audio")).toEqual(["100 %", "100 %", "100 %"]);
    expect(measured("counts the beeps")).toMatch(/^100 %/);
  });

  it("of a program that forges what a browser says: an hour from one network", {
    timeout: 120_000,
  }, async () => {
    const [slow, soft, fast] = [
      await programHour(20, () => telemetry()),
      await programHour(29, () => telemetry()),
      await programHour(60, () => telemetry()),
    ];
    const said = measured("the same, and says of itself");
    expect(slow).toEqual({ tokens: 1_200, tasks: 0, refused: 0 });
    expect(said).toContain(
      `at 20 a minute from one network, ${thousands(slow.tokens)} an hour, without a task`,
    );
    expect(said).toContain(`At 29 a minute ${soft.tokens} tokens and ${thousands(soft.tasks)} tasks an hour`);
    expect(said).toContain(`at 60 and at 120 a minute ${fast.tokens} tokens`);
  });

  it("of a program that says nothing of a browser: a task for every session", async () => {
    expect(await programHour(10, () => ({}))).toEqual({ tokens: 0, tasks: 600, refused: 0 });
    expect(measured("talks to the service without a browser")).toMatch(/^no token for a tick/);
  });
});
