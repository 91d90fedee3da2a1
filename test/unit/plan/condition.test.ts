import { describe, expect, it } from "vitest";
import type { Exchange } from "../../../runtime/abi/exchange.js";
import { loaded, planned } from "./planned.js";

/** Makes an exchange with one argument and the response variables that conditions read. */
const exchange = (k: string | undefined, status: number): Exchange =>
  ({
    arg: (name: string) => (name === "k" ? k : undefined),
    cookie: () => undefined,
    remoteAddr: "10.1.2.3",
    request: { headers: { get: (name: string) => (name === "x-name" ? "J\xfcrg" : undefined) } },
    response: { status, headers: { set: (): void => undefined } },
  }) as unknown as Exchange;

function holds(vars: unknown[], k: string | undefined, status = 200): boolean {
  const { codes, pipeline } = planned({
    plugins: { "response-rewrite": { vars, headers: { "X-Holds": "yes" } } },
  });
  expect(codes.filter((code) => code !== "GW4017")).toEqual([]);
  if (pipeline === undefined) throw new Error("no pipeline");
  let set = false;
  const x = exchange(k, status);
  x.response.headers.set = () => {
    set = true;
  };
  loaded(pipeline).headerFilter?.(x);
  return set;
}

const code = (vars: unknown[], place: "route" | "response" = "response"): string[] =>
  planned(
    place === "route" ? { vars } : { plugins: { "response-rewrite": { vars, headers: { "X-A": "1" } } } },
  ).codes;

describe("comparisons (reference 4.2)", () => {
  it.each([
    [["arg_k", "==", "a"], "a", true],
    [["arg_k", "==", "a"], "b", false],
    [["arg_k", "==", "a"], undefined, false],
    [["arg_k", "==", 5], "5", true],
    [["arg_k", "==", 5], "5.0", true],
    [["arg_k", "==", 5], "x", false],
    [["arg_k", "==", null], undefined, true],
    [["arg_k", "==", null], "", false],
    [["arg_k", "~=", "a"], undefined, true],
    [["arg_k", "~=", 5], "x", true],
    [["arg_k", "~=", 5], undefined, true],
    [["arg_k", "~=", 5], "5", false],
    [["arg_k", ">", 5], "6", true],
    [["arg_k", ">", "5"], "10", true],
    [["arg_k", ">", 5], "b", false],
    [["arg_k", "<=", 5], undefined, false],
    [["arg_k", "!", "<=", 5], undefined, true],
    [["arg_k", "~~", "^a+$"], "aaa", true],
    [["arg_k", "~~", "A"], "a", false],
    [["arg_k", "~*", "A"], "a", true],
    [["arg_k", "~~", ""], undefined, false],
    [["arg_k", "IN", ["a", "b"]], "b", true],
    [["arg_k", "in", [1, 2]], "2", true],
    [["arg_k", "in", [1, "x"]], "x", true],
    [["arg_k", "in", ["1"]], "01", false],
    [["arg_k", "!", "in", ["a"]], undefined, true],
    [["arg_k", "ipmatch", ["10.0.0.0/8", "::1"]], "10.9.9.9", true],
    [["arg_k", "ipmatch", "10.0.0.0/8"], "11.0.0.1", false],
    [["arg_k", "IPMATCH", "10.0.0.0/8"], "no address", false],
    [["arg_k", "a"], "a", true],
    [["arg_k", "ABC"], "ABC", true],
    [["http_x_name", "==", "Jürg"], "", false],
  ])("the comparison %j with the argument %j is %s", (comparison, k, expected) => {
    expect(holds([comparison], k)).toBe(expected);
  });

  it("a comparison of non-ASCII texts compares their UTF-8 bytes", () => {
    expect(holds([["arg_k", "==", "é"]], "\xc3\xa9")).toBe(true);
  });

  it("a comparison of the status compares numbers", () => {
    expect(holds([["status", "in", [404, 500, 501, 502]]], undefined, 500)).toBe(true);
    expect(holds([["status", ">=", 500]], undefined, 404)).toBe(false);
    expect(holds([["status", "~~", "^4"]], undefined, 404)).toBe(true);
  });
});

describe("combinations", () => {
  const [a, b] = [
    ["arg_k", "~~", "a"],
    ["arg_k", "~~", "b"],
  ];

  it.each([
    [[a, b], ["ab"], ["a", "b", ""]],
    [["AND", a, b], ["ab"], ["a", "b"]],
    [["or", a, b], ["a", "b", "ab"], [""]],
    [["!AND", a, b], ["a", "b", ""], ["ab"]],
    [
      ["!or", a, b],
      ["", "c"],
      ["a", "b", "ab"],
    ],
    [
      ["OR", [a, b], ["!OR", a, b]],
      ["ab", ""],
      ["a", "b"],
    ],
    [
      [
        ["OR", a, b],
        ["arg_k", "~~", "c"],
      ],
      ["ac", "bc"],
      ["c", "ab"],
    ],
  ])("the combination %j is true and false as expected", (vars, hold, fail) => {
    for (const k of hold) expect(holds(vars, k), k).toBe(true);
    for (const k of fail) expect(holds(vars, k), k).toBe(false);
  });

  it("an empty condition is always true", () => {
    expect(holds([], "x")).toBe(true);
  });
});

describe("diagnostics of conditions", () => {
  it.each([
    [["arg_k", "==", "v"], "GW4010"],
    [[["arg_k"]], "GW4010"],
    [[[]], "GW4010"],
    [["OR", ["arg_k", "==", "v"]], "GW4010"],
    [[["arg_k", "not", "==", "v"]], "GW4010"],
    [[["AND"]], "GW4010"],
    [[["OR", "a", ["arg_k", "==", "v"]]], "GW4010"],
    [[{}], "GW4010"],
    [[["arg_k", "==", {}]], "GW4010"],
    [[["arg_k", "in", [{}]]], "GW4010"],
    [[["arg_k", "in", true]], "GW4010"],
    [[["arg_k", "!", "==", "v", "w"]], "GW4011"],
    [[["arg_k", "in", "v"]], "GW4017"],
    [[["arg_k", "!", "in", 7]], "GW4017"],
    [[["arg_k", "==", "v", "w", "x"]], "GW4017"],
    [[["arg_k", "==", ["v"]]], "GW4010"],
    [[["arg_k", "=", "v"]], "GW4011"],
    [[["arg_k", "contains", "v"]], "GW4011"],
    [[["argk", "==", "v"]], "GW4001"],
    [[["$status", "==", 200]], "GW4001"],
    [[["status", "==", "200"]], "GW4012"],
    [[["status", "in", ["200"]]], "GW4012"],
    [[["status", "==", null]], "GW4012"],
    [[["arg_k", "==", true]], "GW4012"],
    [[["arg_k", ">", "b"]], "GW4012"],
    [[["arg_k", "in", []]], "GW4012"],
    [[["arg_k", "has", "v"]], "GW4012"],
    [[["status", "~=", "200"]], "GW4014"],
    [[["remote_addr", "ipmatch", "10.0.0.0/33"]], "GW4015"],
    [[["remote_addr", "ipmatch", ["fe80::/129"]]], "GW4015"],
    [[["status", "ipmatch", "10.0.0.1"]], "GW4016"],
    [[["arg_k", "ABC"]], "GW4017"],
    [[["arg_k", "~~", "("]], "GW4501"],
  ])("the condition %j is reported as %s", (vars, expected) => {
    expect(code(vars)).toEqual([expected]);
  });

  it.each([
    [
      [
        ["status", "==", 200],
        ["status", "==", 500],
      ],
    ],
    [
      [
        ["status", ">", 500],
        ["status", "<", 400],
      ],
    ],
    [
      [
        ["status", "==", 200],
        ["status", "~=", 200],
      ],
    ],
    [
      [
        ["status", "in", [200, 201]],
        ["status", ">=", 300],
      ],
    ],
    [[["status", "==", 700]]],
    [
      [
        ["arg_k", "==", null],
        ["arg_k", "==", "a"],
      ],
    ],
    [["!OR", ["arg_k", "~=", "a"], ["arg_k", "==", "a"]]],
    [
      [
        "OR",
        [
          ["arg_k", "==", "a"],
          ["arg_k", "==", "b"],
        ],
        [
          ["arg_q", "==", "c"],
          ["arg_q", "==", "d"],
        ],
      ],
    ],
  ])("GW4013 reports that %j contradicts itself", (vars) => {
    expect(new Set(code(vars))).toEqual(new Set(["GW4013"]));
  });

  it.each([
    [
      [
        "OR",
        [
          ["arg_k", "==", "a"],
          ["arg_k", "==", "b"],
        ],
        ["arg_q", "==", "c"],
      ],
    ],
    [
      [
        ["OR", ["arg_k", "in", []], ["arg_q", "==", "c"]],
        ["arg_r", "==", "d"],
      ],
    ],
    [["!OR", ["arg_k", "in", []], ["arg_q", "==", "c"]]],
  ])("GW4018 reports that a part of %j can never be true", (vars) => {
    expect(code(vars)).toEqual(["GW4018"]);
  });

  it.each([
    [
      [
        ["arg_k", "in", []],
        ["arg_q", "==", "c"],
      ],
    ],
    [["OR", ["arg_k", "in", []], ["arg_q", "==", true]]],
    [["!OR", ["arg_k", "~=", true], ["arg_q", "==", "c"]]],
  ])("GW4012 reports that %j can never be true as a whole", (vars) => {
    expect(code(vars)).toContain("GW4012");
  });

  it.each([
    [["OR", ["status", "==", 200], ["status", "==", 500]]],
    [
      [
        ["status", ">=", 500],
        ["status", "<=", 599],
      ],
    ],
    [
      [
        ["arg_k", "==", 5],
        ["arg_k", "==", "5"],
      ],
    ],
    [
      [
        ["arg_k", "~=", "a"],
        ["arg_k", "~=", "b"],
      ],
    ],
    [["!AND", ["arg_k", "==", "a"], ["arg_k", "==", "b"]]],
    [
      [
        ["arg_k", "in", ["a", "b"]],
        ["arg_k", "in", ["b", "c"]],
      ],
    ],
  ])("the condition %j produces no diagnostic", (vars) => {
    expect(code(vars)).toEqual([]);
  });

  it("GW4002 reports a response variable in the vars of a route", () => {
    expect(code([["status", "==", 200]], "route")).toEqual(["GW4002"]);
    expect(code([["sent_http_x", "==", "1"]], "route")).toEqual(["GW4002"]);
  });
});
