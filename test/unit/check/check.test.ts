import "../../../plugins/index.js";
import { describe, expect, it } from "vitest";
import { checkModules } from "../../../compiler/6-check/index.js";
import { enumeratedValues, skeletonOf } from "../../../compiler/6-check/module-skeleton.js";
import { compile } from "../../../compiler/index.js";

const module = (text: string) => ({ file: "routes/a", typescript: text, loadable: "" });
const HEAD = 'import { defineRoute } from "gwc/runtime";\n\n';

describe("check of generated modules", () => {
  it("GW5001 reports type errors of generated modules with file and line", () => {
    const text = `${HEAD}export default defineRoute({\n  id: 5,\n});\n`;
    expect(checkModules([module(text)])).toMatchObject([
      { code: "GW5001", message: expect.stringMatching(/^routes\/a\.ts:4: Type 'number'/) },
    ]);
  });

  it("GW5001 reports unused imports of generated modules", () => {
    expect(checkModules([module(`${HEAD}export default 1;\n`)])).toMatchObject([{ code: "GW5001" }]);
  });

  it("GW5002 reports a line that the formatter would change", () => {
    const text = `${HEAD}export default defineRoute({\n    id: "a",\n});\n`;
    expect(checkModules([module(text)])).toMatchObject([
      { code: "GW5002", message: 'routes/a.ts:4: formatting would make this line `  id: "a",`' },
    ]);
  });

  it("GW5003 reports foreign names in the loadable form", () => {
    const text = `${HEAD}export default defineRoute({\n  id: "a",\n});\n`;
    expect(checkModules([{ ...module(text), loadable: "process.exit();" }])).toMatchObject([
      { code: "GW5003" },
    ]);
  });

  it("the skeletons of two modules are equal if they differ only in names of constants", () => {
    const text = (name: string) =>
      `const ${name} = /^a/;\nf(x => { if (!matches(${name}, x.uri)) return; });`;
    const skeleton = (module: string) => skeletonOf(module, enumeratedValues());
    expect(skeleton(text("uriPattern"))).toBe(skeleton(text("httpHostPattern")));
    expect(skeleton("const a = 1;\nf(a, b);")).not.toBe(skeleton("const b = 1;\nf(a, b);"));
  });

  it.each([
    ["a member", "x.a"],
    ["a key", "{ a: 1 }"],
    ["a key with its value", "{ a }"],
  ])("the skeleton contains the name of %s", (_what, code) => {
    const text = (name: string) => `const ${name} = 1;\nf(${code.replace("a", name)}, ${name});`;
    const skeleton = (module: string) => skeletonOf(module, enumeratedValues());
    expect(skeleton(text("a"))).not.toBe(skeleton(text("b")));
  });

  it("the skeletons of two modules are equal if they differ only in constants", () => {
    const text = (uri: string, n: number) => `// a:${n}\nconst p0 = /${uri}/;\nx.set("${uri}", ${n});\n`;
    const skeleton = (module: string) => skeletonOf(module, enumeratedValues());
    expect(skeleton(text("a", 1))).toBe(skeleton(text("bcd", 22)));
    expect(skeleton('x.set("a");')).not.toBe(skeleton("x.set(1);"));
  });

  it.each([
    ['oversize: "pass"', 'oversize: "refuse"'],
    ["requiredAcks: -1", "requiredAcks: 1"],
    ['delivery: "durable"', 'delivery: "memory"'],
    ['sockType: "tcp"', 'sockType: "udp"'],
    ['mechanism: "PLAIN"', 'mechanism: "SCRAM-SHA-512"'],
    ['metaFormat: "origin"', 'metaFormat: "default"'],
    ['framing: "newline"', 'framing: "octet_counting"'],
    ['producerType: "async"', 'producerType: "sync"'],
    ['compression: "gzip"', 'compression: "zstd"'],
    ['ack: "response"', 'ack: "none"'],
    ['onFull: "reject"', 'onFull: "drop"'],
  ])("a value that a schema enumerates is part of the skeleton: %s", (one, other) => {
    const values = enumeratedValues();
    expect(skeletonOf(`f({ ${one} });`, values)).not.toBe(skeletonOf(`f({ ${other} });`, values));
  });

  it("the check of 2,000 modules of one skeleton reports nothing", () => {
    const routes = Array.from({ length: 2000 }, (_, i) => ({
      id: `r${i}`,
      uri: `/r${i}`,
      upstream: { nodes: { "127.0.0.1:80": 1 } },
      plugins: { "proxy-rewrite": { headers: { "X-Route": `r${i}` } } },
    }));
    const text = JSON.stringify({ routes });
    const { modules } = compile({ sources: [{ name: "a.json", text, format: "json" }], environment: {} });
    const checked = modules.map(({ text: { file, code }, content }) => ({
      file,
      typescript: content,
      loadable: code,
    }));
    expect(checkModules(checked)).toEqual([]);
  });
});
