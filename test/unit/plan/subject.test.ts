import "../../../plugins/index.js";
import { describe, expect, it } from "vitest";
import { compile } from "../../../compiler/index.js";

const nodes = { "127.0.0.1:80": 1 };

/** Returns the engine of a pattern on a path under these limits. */
function engineUnder(limits: object | undefined): string {
  const route = { id: "r", uri: "/*", vars: [["uri", "~~", "\\s+$"]], upstream: { nodes } };
  const text = JSON.stringify({ ...(limits && { gw: { limits } }), routes: [route] });
  const sources = [{ name: "a.json", text, format: "json" as const }];
  const { plan, diagnostics } = compile({ sources, environment: {} });
  expect(diagnostics).toEqual([]);
  const match = plan?.routes[0]?.pipeline?.match;
  if (match?.kind !== "compare" || match.operand.kind !== "regex") throw new Error("no pattern");
  return match.operand.regex.engine;
}

describe("the largest subject of a pattern", () => {
  it("the engine of a pattern on a path depends on the limit target_bytes", () => {
    expect(engineUnder(undefined)).toBe("linear");
    expect(engineUnder({ target_bytes: 1024 })).toBe("backtracking");
    expect(engineUnder({ target_bytes: 65_536 })).toBe("linear");
  });
});
