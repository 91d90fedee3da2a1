import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT, read } from "../../../architecture/sources.js";
import { priceDay, priceTable, type Scenario } from "../../../support/captcha-price-day.js";
import { UNPADDED } from "../../../tools/plugin-docs.js";

const PAGE = "docs/captcha/price.md";

describe("a day with the default prices", () => {
  const own = (scenario: Scenario) => {
    const { own: day, attacked } = priceDay(scenario);
    return { ...day, attacked };
  };

  it("an office pays nothing on a day", () => {
    expect(own("office, 200 people behind one address")).toEqual({
      ...{ asks: 240, free: 240, work: 0, task: 0, wait: 0, times: 1, attacked: 0 },
    });
  });

  it("a school pays some work in its bursts, and no task", () => {
    expect(own("school, 900 people behind one address, six classes of 28 at once")).toEqual({
      ...{ asks: 438, free: 254, work: 184, task: 0, wait: 0, times: 1.7, attacked: 0 },
    });
  });

  it("people of a mobile carrier pay work, and no task", () => {
    expect(own("mobile carrier, a /24 in heavy use")).toEqual({
      ...{ asks: 2_560, free: 970, work: 1_590, task: 0, wait: 0, times: 1.7, attacked: 0 },
    });
  });

  it("a fast program of one address gets one token in eighty without work and one in twenty without a task", () => {
    const { asks, free, work, task, wait } = own("program, 29 a minute from one address");
    expect({ asks, free, work, task, wait }).toEqual({
      ...{ asks: 41_760, free: 501, work: 1_499, task: 7_401, wait: 32_359 },
    });
    expect(asks / free).toBeGreaterThan(80);
    expect(asks / (free + work)).toBeGreaterThan(20);
  });

  it("a slow program gets 734 free tokens and 706 for work, and no task", () => {
    const { free, work, task, wait } = own("program, 60 an hour from one address");
    expect({ free, work, task, wait }).toEqual({ free: 734, work: 706, task: 0, wait: 0 });
  });

  it("a thousand slow networks make everybody pay eight times the work while they are active", () => {
    const { own: day, others, attacked } = priceDay("program, 1,000 networks at one an hour each");
    expect(day).toMatchObject({ asks: 24_000, free: 24_000, times: 8 });
    expect(others).toMatchObject({ asks: 600, task: 0, wait: 0, times: 8 });
    expect(attacked).toBeGreaterThan(23 * 60);
  });
});

it("the page docs/captcha/price.md has the table that the simulation prints (UPDATE=1 writes it)", () => {
  const fresh = read(PAGE).replace(
    /(<!-- a day -->\n)[\s\S]*?(<!-- end of a day -->)/,
    `$1${UNPADDED}\n${priceTable()}\n\n$2`,
  );
  if (process.env["UPDATE"] === "1") writeFileSync(join(ROOT, PAGE), fresh);
  else expect(read(PAGE)).toBe(fresh);
});
