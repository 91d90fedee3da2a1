import "../../../plugins/index.js";
import "../../../plugins/runtime.js";
import { describe, expect, it } from "vitest";
import { refuseForeignNames } from "../../../compiler/check/names.js";
import { plugins } from "../../../compiler/plugin/registry.js";
import * as runtime from "../../../runtime/abi/index.js";
import { pluginCalls } from "../../../runtime/abi/plugin-runtime.js";
import { RUNTIME_EXPORTS } from "../../../runtime/abi/runtime-exports.js";

const module = (body: string, imports = "defineRoute") =>
  `// head\n\nconst { ${imports} } = require("gwc/runtime");\n\nmodule.exports = defineRoute({\n  id: "a",\n\n  rewrite(x) {\n    ${body}\n  },\n});\n`;

describe("what loadable text may name", () => {
  it("is the surface that the runtime exports", () => {
    expect(Object.keys(runtime).sort()).toEqual([...(RUNTIME_EXPORTS["gwc/runtime"] ?? [])].sort());
  });

  it.each(plugins().filter(({ calls }) => calls !== undefined))(
    "is what $name gives at run time",
    ({ name, calls = {} }) => {
      expect(Object.keys(pluginCalls(`gwc/plugins/${name}`) ?? {})).toEqual(Object.keys(calls));
    },
  );

  it.each([
    'x.upstream.headers.set("X-A", `${x.host}:${x.serverPort}`);',
    'const { headers } = x.upstream;\n    headers.delete("a");',
    "if (x.response.status !== 200 || !(x.remotePort > 5)) return;",
    "const a = { async access(x) { await x.respond(401, ''); } };",
    "x.upstream.target = `a${`b${x.uri}`}c`;",
    '// process.exit(1)\n    x.upstream.host = "process.exit(1)";',
  ])("passes %s", (body) => {
    expect(refuseForeignNames(module(body))).toBeNull();
  });

  it.each([
    ["process.exit(1);", 'name "process"'],
    ['x.constructor.constructor("return process")();', 'member "constructor"'],
    ["x.upstream.__proto__ = x;", 'member "__proto__"'],
    ['x["constructor"]("");', "a member is computed"],
    ["x[`constructor`]();", "a member is computed"],
    ["globalThis.a = 1;", 'name "globalThis"'],
    ['import("node:fs");', 'name "import"'],
    ["eval(x.host);", 'name "eval"'],
    ["this.x = 1;", 'name "this"'],
    ["while (x.host > x.uri) {}", 'name "while"'],
    ["if (x) { const process = 1; } process.exit();", 'name "process"'],
    ["new Function(x.host)();", 'name "new"'],
    ["pr\\u006fcess.exit();", 'name "pr"'],
    ["x.host`a${process}`;", 'name "process"'],
    ["`${process}`;", 'name "process"'],
    ["module.require(1);", '"module" is used for more'],
    ['require("node:fs");', 'name "require"'],
    ["x.request /process/ x;", "unexpected"],
    ["x.host = `open", "unexpected"],
    ["x.host = 'a", "unexpected"],
    ["const a = { toString() { return 1; } };", 'function "toString" is not a phase'],
    ["const a = { async constructor(x) { return 1; } };", 'function "constructor" is not a phase'],
    ["const a = async () => x;", 'name "async"'],
    ["const a = { async };", 'name "async"'],
    ["const a = { __proto__: x.request };", 'key "__proto__" is not data'],
    ["const a = { process };", 'name "process"'],
    ["x.respond.call(x);", 'member "call"'],
  ])("refuses %s", (body, reason) => {
    expect(refuseForeignNames(module(body))).toContain(`line 9: ${reason}`);
  });

  it("refuses other modules and names that the runtime does not have", () => {
    expect(refuseForeignNames('const { readFileSync } = require("node:fs");')).toContain('module "node:fs"');
    expect(refuseForeignNames(module("", "defineRoute, spawn"))).toContain('has no "spawn"');
  });
});
