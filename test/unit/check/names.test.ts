import "../../../plugins/index.js";
import "../../../plugins/runtime.js";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { foreignNameReason } from "../../../compiler/6-check/names.js";
import { plugins } from "../../../compiler/plugin/registry.js";
import { RUNTIME_EXPORTS } from "../../../runtime/abi/calls.gen.js";
import * as runtime from "../../../runtime/abi/index.js";
import { pluginCalls } from "../../../runtime/abi/plugin-runtime.js";

const ROOT = join(import.meta.dirname, "../../..");
/** Returns calls and members by their declared types. @param folders of plugins; default: the runtime */
const readByTypes = (...folders: string[]) =>
  execFileSync(process.execPath, [join(ROOT, "test/tools/runtime-calls.mjs"), ...folders], {
    encoding: "utf8",
  });

type Calls = Readonly<Record<string, readonly string[]>>;
const sorted = (calls: Calls) =>
  Object.fromEntries(Object.entries(calls).map(([call, members]) => [call, [...members].sort()]));

const module = (body: string, imports = "defineRoute") =>
  `// head\n\nconst { ${imports} } = require("gwc/runtime");\nconst pattern0 = /a(b)/;\nmodule.exports = defineRoute({\n  id: "a",\n\n  rewrite(x) {\n    ${body}\n  },\n});\n`;

describe("names that loadable code may use", () => {
  it("the names of RUNTIME_EXPORTS are the exports of the runtime", () => {
    expect(Object.keys(runtime).sort()).toEqual(Object.keys(RUNTIME_EXPORTS));
  });

  it("the file calls.gen.ts equals the calls and members of the runtime's types", () => {
    expect(readFileSync(join(ROOT, "runtime/abi/calls.gen.ts"), "utf8")).toBe(readByTypes());
  });

  it("the exports that a plugin declares have the members of their types", () => {
    const declared = plugins().filter(({ exports }) => exports !== undefined);
    const folders = declared.map(({ name }) => join(ROOT, "plugins", name, "runtime"));
    const read = JSON.parse(readByTypes(...folders)) as Calls[];
    expect(declared.map(({ exports = {} }) => sorted(exports))).toEqual(read.map(sorted));
  });

  it.each(plugins().filter(({ exports }) => exports !== undefined))(
    "the exports that $name declares are those of its runtime",
    ({ name, exports = {} }) => {
      expect(Object.keys(pluginCalls(`gwc/plugins/${name}`) ?? {})).toEqual(Object.keys(exports));
    },
  );

  it.each([
    'x.upstream.headers.set("X-A", `${x.host}:${x.serverPort}`);',
    'const { headers } = x.upstream;\n    headers.delete("a");',
    "if (x.response.status !== 200 || !(x.remotePort > 5)) return;",
    "const a = { async access(x) { await x.respond(401, ''); } };",
    "const found = pattern0.exec(x.uri);\n    if (found !== null) x.captures = found;",
    "let found = pattern0.exec(x.uri);\n    if ((found = pattern0.exec(x.host)) !== null) x.upstream.target = found[1] ?? '';",
    'x.upstream.host = x.variable("is_args")?.toString() ?? "";',
    'const a = { ["__proto__"]: x.host, "a-b": -1, if: null, toString: x.uri };',
    "x.upstream.target = `a${`b${x.uri}`}c`;",
    '// process.exit(1)\n    x.upstream.host = "process.exit(1)";',
  ])("the check of names accepts %s", (body) => {
    expect(foreignNameReason(module(body))).toBeNull();
  });

  // Only syntax that the emitter prints is accepted: JavaScript has other ways to reach globals than names.
  it.each([
    ["if (x) { const process = 1; process.exit(); }", 'name "process"', "a shadowed global"],
    ["const a = { b: (x, p = globalThis) => p };", "unexpected", "a default that is a global"],
    ['x.host["constructor"];', "a member is computed", "a computed member"],
    ["x?.constructor;", "unexpected", "an optional member"],
    ["x?.request.headers;", "unexpected", "an optional member of the exchange"],
    ["const { constructor: c } = x;", "unexpected", "a pattern that renames"],
    ["const { constructor } = x;", 'member "constructor"', "a pattern of another member"],
    ["const a = () => this;", "unexpected", "a function that is kept"],
    ["const a = { b: () => this };", 'name "this"', "this"],
    ["x.host`a`;", "unexpected", "a tagged template"],
    ['import("node:fs");', 'name "import"', "import()"],
    ["const a = { '__proto__': x };", 'key "__proto__"', "a prototype"],
    ["x.request.headers = x;", 'member "headers" is not assigned', "an assigned member"],
    ["x.upstream = x;", 'member "upstream" is not assigned', "an assigned part of the exchange"],
    ["x.\\u0068ost = x.uri;", 'name "host" is spelled with escapes', "a name with escapes"],
    ["x.host <!-- x.uri", "unexpected", "a comment of HTML"],
    ["x.uri\n--> x", "unexpected", "the end of a comment of HTML"],
  ])("the check of names rejects %s: %s (%s)", (body, reason) => {
    expect(foreignNameReason(module(body))).toMatch(/^line (?:9|10): /);
    expect(foreignNameReason(module(body))).toContain(reason);
  });

  it.each([
    ["var a = 1;", 'name "var"'],
    ["function f() {}", 'name "function"'],
    ["class A {}", 'name "class"'],
    ["for (const a of x.names()) {}", 'name "for"'],
    ["throw x;", 'name "throw"'],
    ["a: x.host;", "unexpected"],
    ["const a = { get log() { return 1; } };", "unexpected"],
    ["const a = { ...x };", "unexpected"],
    ["const a = [...x.host];", "unexpected"],
    ["const [a] = x.captures;", "unexpected"],
    ["x.respond(...x);", "unexpected"],
    ["const a = x.response?.();", "unexpected"],
    ["const a = async () => 1;", 'name "async"'],
    ["const a = { log: function () {} };", 'name "function"'],
    ["const a = { *log() {} };", "unexpected"],
    ["const a = { ['log']() {} };", "function \"'log'\" is not a phase"],
    ["const a = 1n;", "unexpected"],
    ["delete x.host;", 'name "delete"'],
    ["typeof x;", 'name "typeof"'],
    ["x.host ||= 1;", "unexpected"],
    ["x.host++;", "unexpected"],
    ["const a = x.uri / 2;", "unexpected"],
    ["const a = 1; a = 2;", 'name "a" is not assigned'],
    ["let a = x; a = x.upstream;", 'name "a" becomes something else'],
    ["let a = x; { const a = x.upstream; } a.target = x.uri;", 'member "target"'],
    ["b.c; const b = 1;", 'name "b"'],
    ["x.host();", '"x.host" is not called'],
    ["x();", '"x" is not called'],
    ["String.raw;", 'name "String"'],
    ["const require = 1;", 'name "require"'],
    ['const { readFileSync } = require("node:fs");', 'name "require"'],
    ["x.variable.toString();", 'member "toString"'],
    ["x.request.headers.forEach((x) => x);", "unexpected"],
    ["x.pluginMetadata('a').record.call(x);", 'member "call"'],
    ["x.bufferBody(1, x.uri).then(x);", 'member "then"'],
    ["defineRoute(1).rewrite(x);", '"defineRoute(1).rewrite" is not called'],
    ["pattern0.exec(x.uri).groups;", 'member "groups"'],
    ["pattern0.exec.constructor;", 'member "constructor"'],
  ])("the check of names rejects syntax or a name that modules do not use: %s", (body, reason) => {
    expect(foreignNameReason(module(body))).toContain(`line 9: ${reason}`);
  });

  it("the result of a plugin's call has only the members that the plugin declares, which have none", () => {
    const keyed = (body: string) =>
      `const { consumerKeys } = require("gwc/plugins/key-auth");\nconst keys = consumerKeys();\n${module(body)}`;
    expect(foreignNameReason(keyed("x.consumerName = keys.find(x.uri);"))).toBeNull();
    expect(foreignNameReason(keyed("keys.has(x.uri);"))).toContain('member "has"');
    expect(foreignNameReason(keyed("keys.find(x.uri).constructor;"))).toContain('member "constructor"');
    expect(foreignNameReason(keyed("keys.find = x;"))).toContain('member "find" is not assigned');
    expect(foreignNameReason(keyed("consumerKeys.constructor;"))).toContain('member "constructor"');
  });

  it("the check of names rejects code that is nested too deeply", () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)};`;
    expect(foreignNameReason(deep)).toBe("line 1: nested too deeply to be read");
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
    ["pr\\u006fcess.exit();", 'name "process" is spelled with escapes'],
    ["x.host`a${process}`;", "unexpected"],
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
  ])("the check of names rejects a way to globals or an unfinished text: %s", (body, reason) => {
    expect(foreignNameReason(module(body))).toContain(`line 9: ${reason}`);
  });

  it("the check of names rejects other modules and names that the runtime does not export", () => {
    expect(foreignNameReason('const { readFileSync } = require("node:fs");')).toContain('module "node:fs"');
    expect(foreignNameReason(module("", "defineRoute, spawn"))).toContain('has no "spawn"');
  });
});
