import { describe, expect, it } from "vitest";
import { programHour } from "../../support/captcha-program.js";
import { measured, row, solved, tasks, text } from "../../support/captcha-threat-model.js";

describe("measurements in docs/captcha/threat-model.md", () => {
  it("the threat model states the same odds of guesses and simple programs as docs/captcha/tasks.md", () => {
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

  it("a program without browser data gets a task in every session and no token", async () => {
    expect(await programHour(10, () => ({}))).toEqual({ tokens: 0, tasks: 600, refused: 0 });
    expect(measured("talks to the service without a browser")).toMatch(/^no token for a tick/);
  });
});
