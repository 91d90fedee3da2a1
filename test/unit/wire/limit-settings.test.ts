import { describe, expect, it } from "vitest";
import { DEFAULT_LIMITS, limitsFrom } from "../../../runtime/http/limits.js";
import { schemaFile } from "../../../schema/schemas.js";

const limits = schemaFile("deployment.json").node.definitions?.["limits"]?.properties ?? {};

describe("gw.limits", () => {
  it("the schema of gw.limits names every limit of the data path, with the same default", () => {
    const defaults = Object.fromEntries(
      Object.entries(limits).map(([name, { default: value }]) => [name, value]),
    );
    expect(Object.keys(limits)).toHaveLength(Object.keys(DEFAULT_LIMITS).length);
    expect(limitsFrom(defaults)).toEqual(DEFAULT_LIMITS);
  });

  it("a time limit of gw.limits is in seconds and becomes milliseconds of the data path", () => {
    expect(limitsFrom({ header_timeout: 0.25, header_bytes: 4096 })).toEqual({
      ...DEFAULT_LIMITS,
      headerTimeout: 250,
      headerBytes: 4096,
    });
  });
});
