import "../../../plugins/index.js";
import { describe, expect, it } from "vitest";
import { namesIn } from "../../../compiler/2-validate/credential-names.js";
import { CompilerRpc } from "../../../compiler/thread/compiler-rpc.js";
import { withoutAddressCredentials } from "../../../compiler/variables/credential-text.js";
import { newCompilation } from "../../support/compilation.js";

const names = namesIn(() => []);

describe("user information of addresses in messages", () => {
  it.each([
    ['"ann:pw@127.0.0.1:9" is no node', '"***@127.0.0.1:9" is no node'],
    ["ann:p:w@host", "***@host"],
    ["nodes: { 'ann:pw@[::1]:80': 1 }", "nodes: { '***@[::1]:80': 1 }"],
    ["redis ann:pw@redis.test:6379/0", "redis ***@redis.test:6379/0"],
    ["http://ann:pw@host/?a=b", "http://***@host/?a=b"],
    ["https://t0ken@host", "https://***@host"],
    ["see mailto:ann@host.test", "see mailto:ann@host.test"],
    ["contact: ann@host.test", "contact: ann@host.test"],
    ["^(?:a|b)@x$", "^(?:a|b)@x$"],
    ["http://host/a@b:c", "http://host/a@b:c"],
    ["12:30 @ noon", "12:30 @ noon"],
  ])("the text %s is shown as %s", (text, shown) => {
    expect(withoutAddressCredentials(text, names)).toBe(shown);
  });
});

describe("diagnostics of a node with user information", () => {
  it.each([
    "ann:pw-secret@a.test:80",
    "pw-secret@a.test",
    "ann%3Apw-secret%40a.test:80",
    "http://ann:pw-secret@a.test",
  ])("neither the diagnostics nor the report of the node %s contain its user information", (node) => {
    const written = [JSON.stringify({ [node]: 1 }), JSON.stringify([{ host: node, port: 80, weight: 1 }])];
    const nodes = [...written, ...written.map((text) => text.replaceAll("@", "\\u0040"))];
    const texts = nodes.map((text) => `upstreams:\n  - id: u\n    nodes: ${text}\n`);
    for (const text of texts) {
      const sources = [{ name: "gateway.yaml", text, format: "yaml" as const }];
      const { diagnostics, report } = new CompilerRpc(newCompilation()).load(
        { sources, faults: [], environment: {} },
        [],
      );
      expect(diagnostics.map(({ code }) => code)).toContain("GW2122");
      expect(JSON.stringify(diagnostics)).not.toContain("pw-secret");
      expect(report).toContain("GW2122");
      // The report also shows the line of the file.
      expect(report).toContain("nodes: ");
      expect(report).not.toContain("pw-secret");
    }
  });
});
