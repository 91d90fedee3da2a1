import { describe, expect, it } from "vitest";
import { read } from "../../architecture/sources.js";
import { telemetry } from "../../support/captcha-api.js";
import { priceDay } from "../../support/captcha-price-day.js";
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
    for (const kind of ["shapes", "rings"]) {
      const [zero, one, two] = solved(kind).map((share) => share.replace(" %", ""));
      expect(measured(`looks at ${kind}`)).toContain(
        `${zero}, ${one} and ${two} % of tasks at levels 0, 1 and 2`,
      );
    }
    expect(solved("audio | loud")[1]).toBe("0 %");
    expect(measured("counts the beeps")).toContain(`${solved("audio, steady")[1]} by what keeps its pitch`);
  });

  it("of a program that forges what a browser says, without a browser: no token in an hour", async () => {
    expect(await programHour(20, () => telemetry())).toEqual({ tokens: 0, tasks: 674, refused: 526 });
    expect(measured("talks to the service without a browser")).toMatch(/^no token for a tick/);
  });

  it("of the same with a browser that computes for it: an hour from one network", {
    timeout: 120_000,
  }, async () => {
    const [slow, soft, fast] = [
      await programHour(20, () => telemetry(), true),
      await programHour(29, () => telemetry(), true),
      await programHour(60, () => telemetry(), true),
    ];
    const said = measured("the same script, with a real browser");
    expect(slow).toEqual({ tokens: 177, tasks: 650, refused: 373 });
    expect(said).toContain(`${slow.tokens} tokens without a task in its first hour`);
    expect(said).toContain(`At 29 a minute ${soft.tokens} tokens and ${thousands(soft.tasks)} tasks an hour`);
    expect(said).toContain(`at 60 and at 120 a minute ${fast.tokens} tokens`);
  });

  it("of the same program in a day, as docs/captcha/price.md has it", () => {
    const { asks, free, work, task } = priceDay("program, 29 a minute from one address").own;
    const said = measured("the same for a day");
    expect(said).toContain(`of ${thousands(asks)} asks ${free} tokens are free`);
    expect(said).toContain(`${thousands(work)} for up to 16 times of it, ${thousands(task)} tasks`);
    const { own } = priceDay("program, 1,000 networks at one an hour each");
    expect(said).toContain(`for ${own.times} times the work`);
  });

  it("of a program that says nothing of a browser: a task for every session", async () => {
    expect(await programHour(10, () => ({}))).toEqual({ tokens: 0, tasks: 600, refused: 0 });
    expect(measured("talks to the service without a browser")).toMatch(/^no token for a tick/);
  });
});
