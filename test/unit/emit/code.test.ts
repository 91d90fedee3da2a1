import "../../../plugins/index.js";
import { describe, expect, it } from "vitest";
import { sourceMap } from "../../../compiler/5-emit/source-map.js";
import { readStatementPaths } from "../../../compiler/5-emit/statement-paths.js";
import { compile } from "../../../compiler/index.js";
import { below, configPath } from "../../../compiler/model/config-path.js";
import { locationsOf } from "../../../compiler/model/source-locations.js";
import { Code, code, firstUses, from, renderCode } from "../../../compiler/plugin/code.js";

const path = (n: number): string => `routes/r plugins.p["key ${n}\\n"]`;

describe("code of a module", () => {
  it("code within a line takes the indentation of that line, and empty lines stay empty", () => {
    const list = code`[\n  ${new Code("1,\n\n2,")}\n]`;
    expect(code`f(x) {\n  return ${list};\n}`.text).toBe("f(x) {\n  return [\n    1,\n\n    2,\n  ];\n}");
  });

  it("a line has the paths of the first code in it that has its own, and code behind that its own ones", () => {
    const [one, two] = [from(path(1), new Code("1")), from(path(2), from(path(3), new Code("2")))];
    const inner = from(path(4), code`// note\nb();\nc(${one});`);
    const { text, paths } = renderCode(from(path(0), code`const a = f(${one}, ${two});\n\n{\n  ${inner}\n}`));
    expect(text).toBe("const a = f(1, 2);\n\n{\n  // note\n  b();\n  c(1);\n}");
    expect(readStatementPaths(text, paths)).toEqual([
      { line: 0, column: 0, settings: [path(0)], around: [] },
      { line: 0, column: 12, settings: [path(1)], around: [path(0)] },
      { line: 0, column: 15, settings: [path(3), path(2)], around: [path(0)] },
      { line: 2, column: 0, settings: [], around: [path(0)] },
      { line: 4, column: 2, settings: [], around: [path(4), path(0)] },
      { line: 5, column: 2, settings: [path(1)], around: [path(4), path(0)] },
      { line: 6, column: 0, settings: [], around: [path(0)] },
    ]);
  });

  it("the paths of a name's first use are known without its text", () => {
    const used = code`"a"; ${from(path(1), code`g(${from(path(2), new Code("a", "name"))})`)}`;
    expect(firstUses([used]).get("a")).toEqual([path(1), path(2)]);
    expect(firstUses([used]).get("g")).toBeUndefined();
  });

  it("control characters of a configuration are escaped in the module and kept in its source map", () => {
    const own = "\x010\x02<\x011\x02";
    const syslog = { host: "10.0.0.9", port: 514, log_format: { [`k${own}`]: own, b: "$host" } };
    const rewrite = { filters: [{ regex: own, replace: own }] };
    const plugins = { syslog, "response-rewrite": rewrite };
    const text = JSON.stringify({
      upstreams: [{ id: "u", nodes: { "a.test:80": 1 } }],
      routes: [{ id: "r", uri: "/*", upstream_id: "u", plugins }],
    });
    const { modules, resources } = compile({
      sources: [{ name: "a.json", text, format: "json" }],
      environment: {},
    });
    const [module] = modules;
    expect(module?.content).toContain("\\u00010\\u0002<\\u00011\\u0002");
    expect(module?.content).not.toMatch(/[^\n\x20-\x7e]/);
    const { names } = sourceMap("r.js", module ?? { content: "", paths: "" }, locationsOf(resources), String);
    expect(names).toContain(below("routes/r", ["plugins", "syslog", "log_format", `k${own}`]));
  });
});

it("a config path that is extended equals one built at once", () => {
  const path = ["plugins", "a b", 1, "x"];
  const owner = { kind: "routes", id: "r" };
  for (let at = 0; at <= path.length; at++)
    expect(below(configPath(owner, path.slice(0, at)), path.slice(at))).toBe(configPath(owner, path));
});
