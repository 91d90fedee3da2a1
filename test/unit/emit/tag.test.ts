import "../../../plugins/index.js";
import { describe, expect, it } from "vitest";
import { sourceMap } from "../../../compiler/5-emit/source-map.js";
import { readParts, tagOf, takeTags, withoutTags } from "../../../compiler/5-emit/tag.js";
import { compile } from "../../../compiler/index.js";
import { below, configPath } from "../../../compiler/model/config-path.js";
import { locationsOf } from "../../../compiler/model/source-locations.js";

const ADDRESSES = Array.from({ length: 300 }, (_, i) => `routes/r plugins.p["key ${i}\\n"]`);

describe("tags in program text", () => {
  it("takeTags removes tags and returns line, column and config path of each part", () => {
    const code = `const a = f(${tagOf(0)}1, ${tagOf(17)}2);\n\n  ${tagOf(299)}b();`;
    const taken = takeTags(code, ADDRESSES);
    expect(taken.code).toBe("const a = f(1, 2);\n\n  b();");
    expect(taken.code).toBe(withoutTags(code));
    expect(readParts(taken.parts)).toEqual([
      { line: 0, column: 12, address: ADDRESSES[0] },
      { line: 0, column: 15, address: ADDRESSES[17] },
      { line: 2, column: 2, address: ADDRESSES[299] },
    ]);
  });

  it("a tag in a configuration is no tag, since its control characters are escaped in the module", () => {
    const own = `${tagOf(0)}<${tagOf(1)}`;
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
    expect(module?.content).toContain("\\u0001\\u000e<\\u0001\\u000f");
    expect(module?.content).not.toMatch(/[^\n\x20-\x7e]/);
    const { names } = sourceMap("r.js", module ?? { content: "", parts: "" }, locationsOf(resources), String);
    expect(names).toContain(below("routes/r", ["plugins", "syslog", "log_format", `k${own}`]));
  });
});

it("a config path that is extended equals one built at once", () => {
  const path = ["plugins", "a b", 1, "x"];
  const owner = { kind: "routes", id: "r" };
  for (let at = 0; at <= path.length; at++)
    expect(below(configPath(owner, path.slice(0, at)), path.slice(at))).toBe(configPath(owner, path));
});
