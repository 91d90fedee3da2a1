import { describe, expect, it } from "vitest";
import { telemetry } from "../../support/captcha-api.js";
import { priceDay } from "../../support/captcha-price-day.js";
import { programHour } from "../../support/captcha-program.js";
import { measured, thousands } from "../../support/captcha-threat-model.js";

describe("measurements in docs/captcha/threat-model.md", () => {
  it("a program that forges browser data without a browser gets no token in an hour", async () => {
    expect(await programHour(20, () => telemetry())).toEqual({ tokens: 0, tasks: 674, refused: 526 });
    expect(measured("talks to the service without a browser")).toMatch(/^no token for a tick/);
  });

  it("the threat model states the tokens of a program with a browser's proof of work in an hour", {
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

  it("the threat model states the same numbers for a day as docs/captcha/price.md", () => {
    const { asks, free, work, task } = priceDay("program, 29 a minute from one address").own;
    const said = measured("the same for a day");
    expect(said).toContain(`of ${thousands(asks)} asks ${free} tokens are free`);
    expect(said).toContain(`${thousands(work)} for up to 16 times of it, ${thousands(task)} tasks`);
    const { own } = priceDay("program, 1,000 networks at one an hour each");
    expect(said).toContain(`for ${own.times} times the work`);
  });
});
