import { describe, expect, it } from "vitest";
import { prove } from "../../support/durable-proof.js";

const shown = (result: object) => console.log(JSON.stringify(result));

describe("kill -9 of workers, control and all processes, and of the server, under load", () => {
  it("loses no record of an answered request with ack: response", async () => {
    const result = await prove("response", 1, 1_000);
    shown(result);
    expect(result.lost).toBe(0);
    expect(result.answered).toBeGreaterThan(100);
  });

  it("loses with ack: log only what was answered at the moment of the kill", async () => {
    const result = await prove("log", 1, 1_000);
    shown(result);
    expect(result.earliestLossMs).toBeLessThan(1_000);
    expect(result.answered).toBeGreaterThan(100);
  });
});
