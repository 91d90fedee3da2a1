import { describe, expect, it } from "vitest";
import { CATALOGUE, steps } from "../../../compiler/diagnostics/catalogue/index.js";
import { diagnostic } from "../../../compiler/diagnostics/report.js";

describe("catalogue", () => {
  for (const step of steps) {
    it(`keeps the codes of ${step.name} in GW${step.from}..GW${step.to}`, () => {
      for (const code of Object.keys(step.entries)) {
        expect(code).toMatch(/^GW\d{4}$/);
        expect(Number(code.slice(2))).toBeGreaterThanOrEqual(step.from);
        expect(Number(code.slice(2))).toBeLessThanOrEqual(step.to);
      }
    });
  }

  it("gives each code to one step only", () => {
    const codes = steps.flatMap((step) => Object.keys(step.entries));
    expect(new Set(codes).size).toBe(codes.length);
  });

  it("explains every code, with a summary of one line and no full stop after a message", () => {
    for (const [code, entry] of Object.entries(CATALOGUE)) {
      expect(entry.explain.trim().length, code).toBeGreaterThan(40);
      expect(entry.summary, code).toMatch(/^[^\n]{5,90}$/);
      expect(entry.message, code).not.toMatch(/\.$|\n/);
    }
  });
});

describe("diagnostic", () => {
  it("refuses a code that no catalogue has", () => {
    expect(() => diagnostic("GW0000", undefined)).toThrow(/GW0000/);
  });
});
