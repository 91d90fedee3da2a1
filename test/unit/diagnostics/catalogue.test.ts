import "../../../plugins/index.js";
import { describe, expect, it } from "vitest";
import { CATALOGUE, registerDiagnostics, steps } from "../../../compiler/diagnostics/catalogue/index.js";
import type { Catalogue } from "../../../compiler/diagnostics/diagnostic.js";
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

  it("keeps the codes of plugins in those ranges", () => {
    const outside = Object.keys(CATALOGUE).filter((code) => {
      const number = Number(/^GW(\d{4})$/.exec(code)?.[1]);
      return !steps.some(({ from, to }) => from <= number && number <= to);
    });
    expect(outside).toEqual([]);
  });

  it("refuses a plugin with a code that is taken", () => {
    const { GW3051 } = CATALOGUE;
    const entries = { GW4490: GW3051, GW3051 } as Catalogue;
    expect(() => registerDiagnostics("other", entries)).toThrow("there is a finding GW3051 already");
    expect(CATALOGUE["GW4490"]).toBeUndefined();
  });

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
