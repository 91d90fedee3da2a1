import { describe, expect, it } from "vitest";
import { parseText, type TextRules } from "../../../compiler/variables/text.js";

const RESPONSE: TextRules = { now: "response", place: "a header", captures: undefined };

function parsed(text: string, rules: Partial<TextRules> = {}) {
  const codes: string[] = [];
  const parts = parseText(text, { ...RESPONSE, ...rules }, ({ code }) => codes.push(code));
  return { parts, codes };
}

describe("texts with variables", () => {
  it.each([
    ["plain", [{ literal: "plain" }]],
    ["", [{ literal: "" }]],
    ["$remote_addr", [{ variable: "remote_addr" }]],
    [
      "from $host:$server_port!",
      [
        { literal: "from " },
        { variable: "host" },
        { literal: ":" },
        { variable: "server_port" },
        { literal: "!" },
      ],
    ],
    ["${host}name", [{ variable: "host" }, { literal: "name" }]],
    ["${arg_q ?? none at all}", [{ variable: "arg_q", fallback: "none at all" }]],
    ["${ arg_q ?? }", [{ variable: "arg_q", fallback: "" }]],
    ["$arg_q.txt", [{ variable: "arg_q" }, { literal: ".txt" }]],
    ["${arg_my-param}", [{ variable: "arg_my-param" }]],
    ["\\$host costs $", [{ literal: "$host costs $" }]],
    ["a $$ b", [{ literal: "a $$ b" }]],
    ["é", [{ literal: "\xc3\xa9" }]],
    ["${arg_q ?? é}", [{ variable: "arg_q", fallback: "\xc3\xa9" }]],
  ])("the text %s is split into literals and variables", (text, parts) => {
    expect(parsed(text)).toEqual({ parts, codes: [] });
  });

  it("a text with captures is split at $1 and ${2}, also in front of digits", () => {
    const parts = [{ capture: 1 }, { literal: "-" }, { capture: 2 }, { literal: "0" }];
    expect(parsed("$1-${2}0", { captures: 2 })).toEqual({ parts, codes: [] });
  });

  it.each([
    ["$remote_adr", "GW4001"],
    ["$arg_", "GW4001"],
    ["${}", "GW4001"],
    ["${host", "GW4003"],
    ["costs $5", "GW4004"],
  ])("the text %s is reported as %s", (text, code) => {
    expect(parsed(text).codes).toEqual([code]);
  });

  it("GW4005 reports a capture that the pattern lacks, GW4002 a response variable in a request", () => {
    expect(parsed("$3", { captures: 2 }).codes).toEqual(["GW4005"]);
    expect(parsed("$status", { now: "request" }).codes).toEqual(["GW4002"]);
  });
});
