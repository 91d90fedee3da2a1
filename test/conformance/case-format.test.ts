import { describe, expect, it } from "vitest";
import { caseFaults } from "./runner/case.js";

const good = {
  reference: "5.2",
  configuration: { routes: [] },
  exchanges: [{ expect: { response: { status: 200, absent: ["ETag"] } } }],
};

describe("a case file", () => {
  it("a case file with a reference, a configuration and an exchange is valid", () => {
    expect(caseFaults(good)).toEqual([]);
  });

  it.each([
    ["an unknown key at the top", { ...good, exchange: [] }],
    ["no reason", { configuration: {}, exchanges: good.exchanges }],
    ["nothing to check", { reference: "5.2", configuration: { routes: [] } }],
    ["both exchanges and a refusal", { ...good, refused: ["GW2101"] }],
    ["a misspelled expectation", { ...good, exchanges: [{ expect: { response: { stauts: 200 } } }] }],
    ["an exchange that expects nothing", { ...good, exchanges: [{ expect: {} }] }],
    [
      "a header line without a name",
      { ...good, exchanges: [{ ...good.exchanges[0], request: { headers: ["x"] } }] },
    ],
    [
      "a coding that nobody applies",
      { ...good, exchanges: [{ ...good.exchanges[0], upstream: { encoding: ["lzma"] } }] },
    ],
    ["a code that is none", { reference: "5.2", configuration: { routes: [] }, refused: ["2101"] }],
  ])("a case file with %s has a fault, so that it is no test without checks", (_, written) => {
    expect(caseFaults(written)).not.toEqual([]);
  });
});
