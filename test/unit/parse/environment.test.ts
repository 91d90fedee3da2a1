import "../../../plugins/index.js";
import { describe, expect, it } from "vitest";
import { substitute } from "../../../compiler/1-parse/environment.js";
import { parseSource } from "../../../compiler/1-parse/parse.js";
import { isSymbolic } from "../../../compiler/2-validate/annotations.js";

function run(text: string, environment: Record<string, string>) {
  const { document } = parseSource({ name: "a.yaml", text, format: "yaml" });
  if (document === undefined) throw new Error("the text does not parse");
  return { given: document, ...substitute(document, { environment, isSymbolic }) };
}

describe("environment variables", () => {
  it("environment variables replace references anywhere in a string, which stays a string", () => {
    const { document, names } = run("routes: [{ id: a, uri: '/${{A}}/${{B:=b}}', priority: '${{N}}' }]", {
      A: "x",
      N: "10",
    });
    expect(document.value).toEqual({ routes: [{ id: "a", uri: "/x/b", priority: "10" }] });
    expect(names).toEqual(["A", "B", "N"]);
  });

  it("a reference uses its default if the variable is not set, and not if it is empty", () => {
    expect(run("routes: [{ desc: '${{A:=d}}', name: '${{ B:=e }}' }]", { A: "" }).document.value).toEqual({
      routes: [{ desc: "", name: "e " }],
    });
  });

  it("an environment variable called like a property of every object counts as not set", () => {
    const names = ["__proto__", "constructor", "toString"];
    const { document, diagnostics } = run(
      `routes: [{ desc: '${names.map((n) => `\${{${n}}}`).join(" ")}' }]`,
      {},
    );
    expect(diagnostics.map(({ code }) => code)).toEqual(["GW1020", "GW1020", "GW1020"]);
    expect(JSON.stringify(document.value)).not.toContain("native code");
    expect(run("routes: [{ desc: '${{__proto__:=d}}' }]", {}).document.value).toEqual({
      routes: [{ desc: "d" }],
    });
  });

  it("a reference in the value of an environment variable is not replaced", () => {
    expect(run("routes: [{ desc: '${{A}}' }]", { A: "${{B}}" }).document.value).toEqual({
      routes: [{ desc: "${{B}}" }],
    });
  });

  it("a reference stays symbolic in secrets and in nodes, as key and as host", () => {
    const text = `
deployment: { admin: { admin_key: [{ name: a, key: "\${{KEY}}" }] } }
consumers: [{ username: a, plugins: { key-auth: { key: "\${{KEY}}" } } }]
upstreams: [{ nodes: { "\${{HOST}}:80": 1 } }, { nodes: [{ host: "\${{HOST}}" }] }]
routes: [{ upstream: { nodes: { "\${{HOST}}:80": 1 } } }]
ssls: [{ key: "\${{KEY}}" }]`;
    const { given, document, names, diagnostics } = run(text, {});
    expect(document.value).toBe(given.value);
    expect(names).toEqual([]);
    expect(diagnostics).toEqual([]);
  });

  it("a reference in a key is replaced, and the key still has its span", () => {
    const { document } = run("routes:\n  - labels:\n      ${{K}}: { deep: 1 }\n", { K: "team" });
    expect(document.value).toEqual({ routes: [{ labels: { team: { deep: 1 } } }] });
    expect(document.spans.key(["routes", 0, "labels", "team"]).start).toEqual({ line: 3, column: 7 });
    const below = document.spans.below(["routes", 0]);
    expect(below.key(["labels", "team", "deep"]).start).toEqual({ line: 3, column: 17 });
  });

  it("GW1020 reports a missing environment variable at each reference", () => {
    const { diagnostics } = run("routes: [{ desc: '${{A}} ${{B}}', name: '${{A}}' }]", {});
    expect(diagnostics.map(({ code, message }) => [code, message.match(/[AB] /)?.[0].trim()])).toEqual([
      ["GW1020", "A"],
      ["GW1020", "B"],
      ["GW1020", "A"],
    ]);
  });
});
