import { describe, expect, it } from "vitest";
import { VARIABLES } from "../../../runtime/abi/variables.js";
import { NAMED_VARIABLES } from "../../../runtime/proxy/exchange/variables.js";

describe("the table of variables", () => {
  it("the table of variables has each name once", () => {
    const names = VARIABLES.map((variable) => variable.name);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });

  it.each(VARIABLES.map((variable) => [variable.name, variable] as const))(
    "the code of the variable %s reads the exchange or a record and its description is a sentence",
    (name, variable) => {
      expect(variable.code).toMatch(
        /^(x\.[\w.]+(\((shown\.request, )?("[a-z0-9_-]+"|%)\))?|shown\.re(quest|sponse))$/,
      );
      expect(variable.description).toMatch(/[.]$/);
      if (variable.code.startsWith("x.variable(")) expect(variable.code).toBe(`x.variable("${name}")`);
    },
  );

  it("the variables read by name are those that the exchange has by name", () => {
    const named = VARIABLES.filter(({ code }) => code.startsWith("x.variable(")).map(({ name }) => name);
    expect(named.sort()).toEqual([...NAMED_VARIABLES].sort());
  });

  it("the variables of records read bodies and name which one, and no others do", () => {
    for (const { name, code, from, body } of VARIABLES) {
      expect(code.includes("shown."), name).toBe(from === "record");
      expect(from === "record", name).toBe(body !== undefined);
      if (body !== undefined) expect(code, name).toContain(`shown.${body}`);
    }
  });

  it("the groups of variables, and only they, have a parameter", () => {
    for (const { name, prefixed, code } of VARIABLES) {
      expect(/[_.]$/.test(name), name).toBe(prefixed);
      expect(code.includes("%"), name).toBe(prefixed);
    }
  });

  it("the variables whose values are text have no number type, so that comparisons convert them", () => {
    const numbers = VARIABLES.filter((variable) => variable.type === "number").map(
      (variable) => variable.name,
    );
    expect(numbers).toContain("status");
    for (const name of [
      "upstream_status",
      "content_length",
      "balancer_port",
      "arg_",
      "upstream_response_time",
    ])
      expect(numbers, name).not.toContain(name);
  });

  it("the variables of the response are not available in the request", () => {
    const early = VARIABLES.filter((variable) => variable.from === "request").map(
      (variable) => variable.name,
    );
    expect(
      early.filter((name) => /^(status|bytes|body_bytes|sent_http|upstream_(?!scheme))/.test(name)),
    ).toEqual([]);
  });
});
