import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { gwc, useTemporaryDirectory } from "../../support/cli.js";

const directory = useTemporaryDirectory();

const consumers = (...keys: string[]) => `routes:
  - { id: r, uri: /r, plugins: { key-auth: {} }, upstream: { nodes: { "10.0.0.1:80": 1 } } }
consumers:
${keys.map((key, i) => `  - { username: c${i}, plugins: { key-auth: { key: "${key}" } } }`).join("\n")}
`;

it("gwc check --strict notes a file with plain-text secrets once, prints none of them and passes", () => {
  writeFileSync(join(directory.path, "a.yaml"), consumers("first-secret", "second-secret", "${{KEY:=x}}"));
  writeFileSync(
    join(directory.path, "b.yaml"),
    'gw: { data_encryption: { keyring: ["0123456789abcdef"] } }\n',
  );
  const { status, stderr } = gwc(directory.path, ["check", "--strict", "a.yaml", "b.yaml"]);
  expect(status).toBe(0);
  expect(stderr.match(/^\S+ note GW3018: .*$/gm)).toEqual([
    'a.yaml:4:49 note GW3018: plain-text secret: "plugins.key-auth.key" of consumer "c0" and another one',
    'b.yaml:1:36 note GW3018: plain-text secret: "gw.data_encryption.keyring.0"',
  ]);
  const told = JSON.parse(gwc(directory.path, ["check", "--format", "json", "b.yaml"]).stdout);
  expect(told).toMatchObject({ diagnostics: [{ code: "GW3018", severity: "note" }] });
  expect(stderr).not.toMatch(/first-secret|second-secret|0123456789/);
});

it("gwc check prints nothing about secrets in variables", () => {
  writeFileSync(join(directory.path, "a.yaml"), consumers("${{KEY:=x}}"));
  expect(gwc(directory.path, ["check", "--quiet", "a.yaml"])).toMatchObject({ status: 0, stderr: "" });
});
