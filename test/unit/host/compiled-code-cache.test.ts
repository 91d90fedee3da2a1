import "../../../plugins/runtime.js";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ModuleCode } from "../../../runtime/abi/generation.js";
import type { GatewayExchange } from "../../../runtime/proxy/exchange/exchange.js";
import { CompiledCodeCache } from "../../../runtime/proxy/host/compiled-code-cache.js";
import { loadModule } from "../../../runtime/proxy/host/load.js";
import { failureOf } from "../../../runtime/proxy/host/module-stack.js";
import { matcherOf, parseModuleTemplate } from "../../../runtime/proxy/host/module-template.js";
import { hostedGenerations } from "../../support/hosted-generations.js";
import { artifact, moduleText } from "./artifacts.js";

const GOLDEN = new URL("../../golden/", import.meta.url);

/** Modules of all routes of the golden tests, in the form that is loaded, by "case/file". */
const modules = new Map(
  readdirSync(GOLDEN, { recursive: true, encoding: "utf8" })
    .filter((name) => /expected\/routes\/[^/]+\.ts$/.test(name))
    .map((name) => {
      const code = readFileSync(new URL(name, GOLDEN), "utf8")
        .replace(/^import (\{[^}]*\}) from "([^"]+)";/gm, 'const $1 = require("$2");')
        .replace(/^export default /m, "module.exports = ");
      return [name.replace("expected/routes/", ""), code];
    }),
);

function textOf(code: string, id: string): ModuleCode {
  return {
    ...{ moduleId: `route:${id}`, file: `routes/${id}`, code },
    hash: createHash("sha256").update(code).digest("hex"),
  };
}

/** Code of the same route with another id. */
const renamed = (code: string, id: string) =>
  code
    .replace(/^ {2}id: .*$/m, `  id: ${JSON.stringify(id)},`)
    .replace(/^(\/\/ Compiled by gwc \S+ from )\S+,/m, `$1routes/${id},`)
    .replaceAll(/^(\s*\/\/ )routes\/\S+ /gm, `$1routes/${id} `);

/** All values of a module with the text of its functions, without their comments. */
const shown = (value: object): string =>
  inspect(value, { depth: 20, maxArrayLength: null, maxStringLength: null, showHidden: false }) +
  Object.values(value)
    .filter((member) => typeof member === "function")
    .map((member) => String(member).replaceAll(/\/\/ .*/g, ""))
    .join();

/** Third of three similar modules: the second creates the module template, whose matcher finds the third. */
function third(shared: CompiledCodeCache, code: string, ids: [string, string, string]): object {
  return ids.map((id) => loadModule(textOf(renamed(code, id), id), shared)).at(-1) as object;
}

describe("similar modules", () => {
  it.each([...modules])("a module that runs shared code equals the module compiled alone: %s", (_, code) => {
    const shared = new CompiledCodeCache();
    const alone = loadModule(textOf(renamed(code, "x/3"), "c"));
    expect(shown(third(shared, code, ["x-1", "x-22", "x/3"]))).toBe(shown(alone));
  });

  it("all golden modules have code that can be parsed to a module template", () => {
    const understood = [...modules.values()].filter((code) => parseModuleTemplate(code) !== undefined);
    expect(understood).toEqual([...modules.values()]);
  });

  it("similar modules keep their own strings and patterns, whatever is in them", () => {
    const code = (text: string, pattern: RegExp) =>
      `const { defineRoute } = require("gwc/runtime");\nconst p = ${String(pattern)};\n` +
      `module.exports = defineRoute({ id: ${JSON.stringify(text)}, resources: [p, { "a,b": ${JSON.stringify(text)} }] });\n`;
    const pattern = fc.constantFrom(/a/, /[/"']/g, /\/\\/u, /(?<x>"\[)/i, /[\]/\\]+'/, /\/\//);
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string({ unit: "grapheme" }), pattern), { minLength: 3 }), (list) => {
        const shared = new CompiledCodeCache();
        for (const [text, regex] of list) {
          const own = loadModule(textOf(code(text, regex), "r"));
          expect(shown(loadModule(textOf(code(text, regex), "r"), shared))).toBe(shown(own));
        }
      }),
    );
  });

  it("a module template has no hole for a constant in a function, a property name or a pattern of a call", () => {
    const text = `module.exports = d({ "a-b": 1, c: "x", f(x) { return x.get("y", [/z/g]); }, g: (x) => h("u", x), k: "v" });`;
    const taken = parseModuleTemplate(text)?.holes.map(({ raw }) => raw);
    expect(taken).toEqual(['"x"', '"v"']);
  });

  it.each([
    ["a division", "const a = b / c; const d = 'x' / 2;"],
    ["a comment of several lines", "/* a\n */ const a = 1;"],
    ["brackets that do not match", "const a = [1, 2);"],
    ["a string that does not end", 'const a = "x\n";'],
  ])("a module with %s has no module template", (_, code) => {
    expect(parseModuleTemplate(code)).toBeUndefined();
  });

  it("the matcher of a module template finds the same holes as the parser", () => {
    for (const code of modules.values()) {
      const shaped = parseModuleTemplate(code);
      if (shaped === undefined) continue;
      const [, ...groups] = matcherOf(shaped).exec(code) ?? [];
      expect(groups).toEqual(shaped.holes.map(({ raw }) => raw));
    }
  });

  it("a module that runs shared code fails with its own file, line and config path", () => {
    const code = modules.get("conditions/matched.ts") ?? "";
    const module = third(new CompiledCodeCache(), code, ["a", "b", "failed"]) as ReturnType<
      typeof loadModule
    >;
    const alone = loadModule(textOf(renamed(code, "failed"), "failed"));
    const failureIn = (one: typeof module) => {
      try {
        one.match?.({} as never);
      } catch (error) {
        const x = { route: { module: one }, generation: { globalRules: [], pluginMetadata: new Map() } };
        return failureOf(x as unknown as GatewayExchange, error);
      }
      throw new Error("it did not fail");
    };
    const failure = failureIn(module);
    const stackOf = (fields: Record<string, unknown>) => String(fields["stack"]).split("\n")[0];
    expect(failure.fields).toMatchObject({ at_config: "routes/failed vars[0]" });
    expect(stackOf(failure.fields)).toBe(stackOf(failureIn(alone).fields));
    expect(failure.parts).toEqual([
      {
        origin: "routes/failed vars[0]",
        file: "routes/failed.js",
        line: expect.any(Number),
        column: undefined,
      },
    ]);
  });
});

describe("a generation of many modules", () => {
  const many = Array.from({ length: 400 }, (_, i) => moduleText(`route:r${i}`, `resources: [], access() {}`));

  it("a generation of 401 modules is rejected for one with a wrong hash or one that does not load", () => {
    const refusal = (broken: ModuleCode) => {
      try {
        const put = [...many.slice(0, 300), broken, ...many.slice(300)];
        hostedGenerations().start(1, artifact({ modules: put }));
        return "none";
      } catch (error) {
        return `${(error as { code: string }).code} ${(error as Error).message}`;
      }
    };
    const good = many[7] as ModuleCode;
    const withCode = (code: string) => textOf(code, "broken");
    expect(refusal({ ...good, moduleId: "route:other" })).toBe("none");
    expect(refusal({ ...good, code: `${good.code} ` })).toMatch(/^GW6001 .*route:r7/);
    expect(refusal(withCode("module.exports = {"))).toMatch(/^GW6003 .*route:broken does not load/);
    expect(refusal(withCode('module.exports = require("node:fs");'))).toMatch(/^GW6003 /);
    expect(refusal(withCode(good.code.replace("access()", "access: 5, b()")))).toMatch(/^GW6003 /);
  });
});
