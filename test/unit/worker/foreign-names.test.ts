// Output of the compiler's thread is checked again: a module that could reach the process is not published.
import "../../../plugins/index.js";
import { expect, it } from "vitest";
import { typescript } from "../../../compiler/5-emit/typescript.js";
import { Compilation, type CompileResult, type Pending } from "../../../compiler/compilation/compilation.js";
import { CompilerRpc } from "../../../compiler/thread/compiler-rpc.js";
import type { ModuleCode } from "../../../runtime/abi/generation.js";

const files = {
  sources: [
    { name: "gateway.json", text: '{"upstreams":[{"id":"u","nodes":{"10.0.0.1:80":1}}]}', format: "json" },
  ],
  faults: [],
  environment: {},
} as const;
const readFiles = { ...files, sources: [...files.sources], faults: [] };
const put = (id: string, text: string) => ({ put: { kind: "routes" as const, id, text } });
const ROUTE = JSON.stringify({
  uri: "/a",
  upstream_id: "u",
  plugins: { "proxy-rewrite": { headers: { set: { "X-A": "b" } } } },
});

/** Compiler whose modules also end the process. */
class Tampered extends Compilation {
  tampers = true;

  constructor() {
    super({ target: typescript });
  }

  override load(input: Parameters<Compilation["load"]>[0]): CompileResult {
    const loaded = super.load(input);
    for (const module of loaded.artifact?.modules ?? []) this.tamper(module);
    return loaded;
  }

  override write(changes: Parameters<Compilation["write"]>[0]): Pending {
    const pending = super.write(changes);
    for (const module of pending.delta?.modules.put ?? []) this.tamper(module);
    return pending;
  }

  private tamper(module: ModuleCode): void {
    if (this.tampers) module.code = module.code.replace("rewrite(x) {", "rewrite(x) { process.exit(1);");
  }
}

it("a write whose module names the process is refused without effect, and the next write is accepted", () => {
  const compilation = new Tampered();
  const calls = new CompilerRpc(compilation);
  calls.load(readFiles, []);
  const refused = calls.write([put("1", ROUTE)]);
  expect(refused.delta).toBeUndefined();
  expect(refused.errorMessage).toContain('name "process" is not part of the runtime\'s surface');
  expect(refused.diagnostics.map(({ code }) => code)).toEqual(["GW5003"]);
  compilation.tampers = false;
  const taken = calls.write([put("2", ROUTE)]);
  expect(taken.delta?.routes.put.map(({ id }) => id)).toEqual(["2"]);
  expect(taken.delta?.modules.put).toHaveLength(1);
});

it("a start with a module that names the process is refused", () => {
  const loaded = new CompilerRpc(new Tampered()).load(readFiles, [
    { kind: "routes", id: "1", value: JSON.parse(ROUTE) },
  ]);
  expect(loaded.artifact).toBeUndefined();
  expect(loaded.report).toContain("error GW5003: routes/1: line");
});
