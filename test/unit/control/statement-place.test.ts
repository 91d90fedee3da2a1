import "../../../plugins/index.js";
import { expect, it } from "vitest";
import { compile } from "../../../compiler/index.js";
import { locationsOf } from "../../../compiler/model/source-locations.js";
import { statementPlace } from "../../../compiler/which-route/module-view.js";

const TEXT = `upstreams:
  - { id: u, nodes: { "a.test:80": 1 } }
routes:
  - id: shop
    uri: /shop
    upstream_id: u
    plugins:
      proxy-rewrite:
        host: orders.internal
        headers:
          set: { X-A: "$host", X-B: "$remote_addr" }
`;
const ORIGIN = "routes/shop plugins.proxy-rewrite";

const { modules, resources } = compile({
  sources: [{ name: "shop.yaml", text: TEXT, format: "yaml" }],
  environment: {},
});
const [module] = modules;
const running = {
  state: { modules: new Map(modules.map((one) => [one.text.moduleId, one])) },
  places: locationsOf(resources),
} as unknown as Parameters<typeof statementPlace>[1];

function asked(statement: string, hash = module?.text.hash) {
  const lines = module?.content.split("\n") ?? [];
  const index = lines.findIndex((line) => line.includes(statement));
  expect(index).toBeGreaterThan(0);
  const column = (lines[index]?.indexOf(statement) ?? 0) + 1;
  return statementPlace({ origin: ORIGIN, file: "routes/shop.js", line: index + 1, column, hash }, running);
}

it("a statement of a running module has the config path and location of its setting", () => {
  expect(asked("x.upstream.host")).toEqual({ address: `${ORIGIN}.host`, place: "shop.yaml:9:9" });
  expect(asked('"X-B"')).toEqual({ address: `${ORIGIN}.headers.set.X-B`, place: "shop.yaml:11:32" });
  expect(asked("const { headers }")).toEqual({ address: ORIGIN, place: "shop.yaml:8:7" });
});

it("a statement of a module that no longer runs has the config path of its source comment", () => {
  expect(asked("x.upstream.host", "0".repeat(64))).toEqual({ address: ORIGIN, place: "shop.yaml:8:7" });
});
