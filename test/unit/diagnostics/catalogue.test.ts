import "../../../plugins/index.js";
import { describe, expect, it } from "vitest";
import { CATALOGUE, registerDiagnostics, steps } from "../../../compiler/diagnostics/catalogue/index.js";
import { diagnostic } from "../../../compiler/diagnostics/report.js";
import type { Catalogue } from "../../../compiler/model/diagnostic.js";

describe("catalogue", () => {
  for (const step of steps) {
    it(`the codes of ${step.name} are in GW${step.from}..GW${step.to}`, () => {
      for (const code of Object.keys(step.entries)) {
        expect(code).toMatch(/^GW\d{4}$/);
        expect(Number(code.slice(2))).toBeGreaterThanOrEqual(step.from);
        expect(Number(code.slice(2))).toBeLessThanOrEqual(step.to);
      }
    });
  }

  it("the codes of plugins are in the ranges of the steps", () => {
    const outside = Object.keys(CATALOGUE).filter((code) => {
      const number = Number(/^GW(\d{4})$/.exec(code)?.[1]);
      return !steps.some(({ from, to }) => from <= number && number <= to);
    });
    expect(outside).toEqual([]);
  });

  it("registerDiagnostics throws for a code that exists already and registers none of the others", () => {
    const { GW3051 } = CATALOGUE;
    const entries = { GW4490: GW3051, GW3051 } as Catalogue;
    expect(() => registerDiagnostics("other", entries)).toThrow(
      "plugin other: diagnostic GW3051 exists already",
    );
    expect(CATALOGUE["GW4490"]).toBeUndefined();
  });

  it("each code belongs to one step only", () => {
    const codes = steps.flatMap((step) => Object.keys(step.entries));
    expect(new Set(codes).size).toBe(codes.length);
  });

  it("every code has an explanation, a summary of one line and a message without a full stop", () => {
    for (const [code, entry] of Object.entries(CATALOGUE)) {
      expect(entry.explain.trim().length, code).toBeGreaterThan(40);
      expect(entry.summary, code).toMatch(/^[^\n]{5,90}$/);
      expect(entry.message, code).not.toMatch(/\.$|\n/);
    }
  });
});

describe("diagnostic", () => {
  it("diagnostic throws for a code that no catalogue has", () => {
    expect(() => diagnostic("GW0000", undefined)).toThrow(/GW0000/);
  });
});
