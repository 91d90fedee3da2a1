import "../../../plugins/index.js";
import { expect, it } from "vitest";
import { compile } from "../../../compiler/index.js";
import { newCompilation } from "../../support/compilation.js";

const input = (status: 0 | 1) => ({
  sources: [
    {
      name: "gateway.json",
      format: "json" as const,
      text: JSON.stringify({
        consumers: [{ username: "ann", plugins: { "key-auth": { key: "k-0123456789" } } }],
        routes: [
          {
            ...{ id: "r", uri: "/r", status, plugins: { "key-auth": {} } },
            upstream: { nodes: { "127.0.0.1:80": 1 } },
          },
        ],
      }),
    },
  ],
  environment: {},
});
const codes = (found: readonly { code: string }[]) => found.map(({ code }) => code);

it("a consumer that only a disabled route would authenticate is reported as unused, at a check and while it runs", () => {
  for (const status of [0, 1] as const) {
    const compilation = newCompilation();
    compilation.load(input(status));
    const isUnused = codes(compilation.findings()).includes("GW3015");
    expect(isUnused).toBe(status === 0);
    expect(codes(compile(input(status)).diagnostics).includes("GW3015")).toBe(isUnused);
  }
});
