import "../../../plugins/index.js";
import { expect, it } from "vitest";
import { CompilerRpc } from "../../../compiler/thread/compiler-rpc.js";
import { newCompilation } from "../../support/compilation.js";

const TEXT = `
routes:
  - id: a
    uri: /a
    name: 'it''s \${{TOKEN}}'
    desc: &shared "of \${{TOKEN}}, \${{TOKEN:=none}}"
    labels:
      plain: value-of-token
      set: \${{TOKEN}}
      on: "\${{ON}}"
    plugins:
      response-rewrite: { headers: { set: { X-A: *shared } } }
      proxy-rewrite:
        headers:
          set:
            X-B: >-
              one \${{TOKEN}}
              two
    upstream: { nodes: { "127.0.0.1:9": 1 } }
`;

it("a load returns strings with variables as they are written, and masks those with an unknown spelling", () => {
  const environment = { TOKEN: "value-of-token", ON: "on" };
  const sources = [{ name: "gateway.yaml", text: TEXT, format: "yaml" as const }];
  const { statics, report } = new CompilerRpc(newCompilation()).load(
    { sources, faults: [], environment },
    [],
  );
  expect(report).not.toContain("error");
  expect(statics.put[0]?.value).toMatchObject({ labels: { set: "value-of-token" } });
  const written = new Map(statics.put[0]?.written?.map(([path, text]) => [path.join("."), text]));
  expect([...written].sort()).toEqual([
    ["desc", "of ${{TOKEN}}, ${{TOKEN:=none}}"],
    ["labels.set", "${{TOKEN}}"],
    ["name", "it's ${{TOKEN}}"],
    ["plugins.proxy-rewrite.headers.set.X-B", "***"],
    ["plugins.response-rewrite.headers.set.X-A", "***"],
  ]);
});

it("a load returns names of fields with variables as they are written, and their members", () => {
  const text = `
routes:
  - id: a
    uri: /a
    labels: { "\${{TOKEN}}": "\${{TOKEN}}" }
    plugins:
      proxy-rewrite: { headers: { set: { "X-\${{TOKEN}}": plain, "Z-\${{TOKEN}}": "\${{TOKEN}}" } } }
    upstream: { nodes: { "127.0.0.1:9": 1 } }
`;
  const environment = { TOKEN: "value-of-token" };
  const sources = [{ name: "gateway.yaml", text, format: "yaml" as const }];
  const { statics, report } = new CompilerRpc(newCompilation()).load(
    { sources, faults: [], environment },
    [],
  );
  expect(report).not.toContain("error");
  const [route] = statics.put;
  expect(route?.value).toMatchObject({
    labels: { "${{TOKEN}}": "value-of-token" },
    plugins: {
      "proxy-rewrite": { headers: { set: { "X-${{TOKEN}}": "plain", "Z-${{TOKEN}}": "value-of-token" } } },
    },
  });
  expect(JSON.stringify(Object.keys(route?.value ?? {}))).not.toContain("value-of-token");
  expect(route?.written?.map(([path]) => path.join("."))).toEqual([
    "labels.${{TOKEN}}",
    "plugins.proxy-rewrite.headers.set.Z-${{TOKEN}}",
  ]);
});
