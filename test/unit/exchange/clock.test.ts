import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { timeIso8601, timeLocal } from "../../../runtime/proxy/exchange/clock.js";

const zone = process.env["TZ"];

describe.each([
  ["America/New_York", "2020-09-23T19:05:05-04:00", "23/Sep/2020:19:05:05 -0400"],
  ["Asia/Kolkata", "2020-09-24T04:35:05+05:30", "24/Sep/2020:04:35:05 +0530"],
  ["UTC", "2020-09-23T23:05:05+00:00", "23/Sep/2020:23:05:05 +0000"],
])("times in %s", (name, iso, local) => {
  const at = Date.UTC(2020, 8, 23, 23, 5, 5, 250);
  beforeAll(() => {
    process.env["TZ"] = name;
    // The text is cached for a second: another second replaces it.
    timeIso8601(0);
    timeLocal(0);
  });
  afterAll(() => {
    if (zone === undefined) delete process.env["TZ"];
    else process.env["TZ"] = zone;
  });

  it("the times of ISO 8601 and of the access log have the formats of nginx", () => {
    expect(timeIso8601(at)).toBe(iso);
    expect(timeLocal(at)).toBe(local);
  });

  it("the time of ISO 8601 follows the clock forwards and backwards", () => {
    expect(timeIso8601(at + 749)).toBe(iso);
    expect(timeIso8601(at + 750)).toBe(iso.replace(":05:05", ":05:06").replace(":35:05", ":35:06"));
    expect(timeIso8601(at)).toBe(iso);
  });
});
