import { describe, expect, it } from "vitest";
import { prove } from "../../support/durable-proof.js";

const shown = (result: object) => console.log(JSON.stringify(result));

describe("kill -9 of gateway processes and of the log server under load", () => {
  it("a durable logger with ack: response loses no record of a completed request during kills", async () => {
    const result = await prove("response", 1, 1_000);
    shown(result);
    expect(result.lost).toBe(0);
    expect(result.answered).toBeGreaterThan(100);
  });

  it("a durable logger with ack: log loses only records of requests completed within a second before a kill", async () => {
    const result = await prove("log", 1, 1_000);
    shown(result);
    expect(result.earliestLossMs).toBeLessThan(1_000);
    expect(result.answered).toBeGreaterThan(100);
  });
});
