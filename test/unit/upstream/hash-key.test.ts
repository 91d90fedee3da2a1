import { describe, expect, it } from "vitest";
import { parseText } from "../../../compiler/variables/text.js";
import type { Exchange } from "../../../runtime/abi/exchange.js";
import type { UpstreamTable } from "../../../runtime/abi/generation.js";
import { VARIABLES } from "../../../runtime/abi/variables.js";
import { hashKeyOf } from "../../../runtime/proxy/upstream/hash-key.js";
import { requestWith } from "./tables.js";

/** Variables of requests that are members of an exchange. */
const MEMBERS = VARIABLES.filter(
  ({ prefixed, from, code }) => !prefixed && from === "request" && !code.startsWith("x.variable("),
);
/** Exchange whose members have their names as values, and a request with a type. */
const EXCHANGE = new Proxy({} as Exchange, {
  get: (_, member) => {
    if (member === "request") return { headers: { get: (name: string) => `value of ${name}` } };
    return member === "variable" ? () => undefined : String(member);
  },
});
const ADDRESS = "192.0.2.1";
const GIVEN = { uri: "/a", "arg q": "q", "cookie a-b": "b" };

function keyOf(hashKey: string, values: Record<string, string> = GIVEN): string {
  const table: Partial<UpstreamTable> = { type: "chash", hashOn: "vars_combinations", hashKey };
  return hashKeyOf(table as UpstreamTable)(requestWith(values));
}

describe("the key of vars_combinations", () => {
  it.each([
    ["${cookie_sid ?? none}", "none"],
    ["${ arg_q }", "q"],
    ["${cookie_a-b}", "b"],
    ["\\$uri-$uri", "$uri-/a"],
    ["$arg_q.txt", "q.txt"],
    ["$uri${cookie_sid ?? é}", "/a\xc3\xa9"],
  ])("a hash key of vars_combinations is read as a text with variables: %s", (text, key) => {
    expect(keyOf(text)).toBe(key);
  });

  it.each(["$cookie_sid", "x-$cookie_sid", "${cookie_sid ??}", "uri"])(
    "a hash key without the value of a variable is the client's address: %s",
    (text) => {
      expect(keyOf(text)).toBe(ADDRESS);
    },
  );

  it.each(MEMBERS.map(({ name, code }) => [name, code]))(
    "a hash key has the variable %s, which modules read by %s",
    (name, code) => {
      const table: Partial<UpstreamTable> = { hashOn: "vars_combinations", hashKey: `$${name}` };
      const read = new Function("x", `return ${code};`);
      expect(hashKeyOf(table as UpstreamTable)(EXCHANGE)).toBe(read(EXCHANGE));
    },
  );

  it("a hash key is read at run time as the compiler reads it, for every text that it accepts", () => {
    const atoms = [
      "$uri",
      "${ uri }",
      "${cookie_no ?? a b}",
      "${cookie_a-b}",
      "\\$",
      "\\",
      "$",
      "{",
      "}",
      ".q",
      "é",
      "??",
    ];
    let accepted = 0;
    for (const one of atoms)
      for (const two of atoms)
        for (const three of atoms) {
          const text = one + two + three;
          let faults = 0;
          const rules = { now: "request", place: "a key", captures: undefined } as const;
          const parts = parseText(text, rules, () => faults++);
          if (faults > 0) continue;
          accepted += 1;
          const values: Readonly<Record<string, string>> = { uri: "/a", "cookie_a-b": "b" };
          const read = parts.map((part) =>
            "literal" in part
              ? part.literal
              : "variable" in part
                ? (values[part.variable] ?? part.fallback)
                : "",
          );
          const isKey = parts.some((part) => "variable" in part);
          expect(keyOf(text), text).toBe(isKey ? read.join("") : ADDRESS);
        }
    expect(accepted).toBeGreaterThan(1_000);
  });
});
