import "../../../plugins/index.js";
import { expect, it } from "vitest";
import type { Change } from "../../../compiler/model/input.js";
import type { SourceText } from "../../../compiler/model/source.js";
import { CompilerRpc } from "../../../compiler/thread/compiler-rpc.js";
import { newCompilation } from "../../support/compilation.js";

const upstream = { nodes: { "127.0.0.1:80": 1 } };
const source = (name: string, value: object): SourceText => ({
  ...{ name, format: "json" },
  text: JSON.stringify(value),
});
const naming = (header: string) =>
  source("a.json", {
    services: [{ id: "s", upstream, plugins: { "key-auth": { header, query: "shop_k" } } }],
  });
/** Credentials in a condition that has a finding, in a header and in an argument. */
const route = (rest: object = {}) => ({
  uri: "/r",
  service_id: "s",
  vars: [["arg_shop_k", "in", "s3cret-one"]],
  plugins: {
    "proxy-rewrite": { uri: "/x?shop%5fk=s3cret-two", headers: { set: { x_shop: "s3cret-three" } } },
  },
  ...rest,
});
const routes = (rest?: object) => source("b.json", { routes: [{ id: "r", ...route(rest) }] });
const put = (id: string, value: object): Change[] => [
  { put: { kind: "routes", id, text: JSON.stringify(value) } },
];
const files = (...sources: SourceText[]) => ({ sources, faults: [], environment: {} });
const codesOf = ({ diagnostics }: { diagnostics: readonly { code: string }[] }) =>
  diagnostics.map(({ code }) => code);

it("a credential that a service of another file names is masked at a start, a reload, a write and in diagnostics", () => {
  const compilation = newCompilation();
  const loaded = compilation.load(files(naming("X-Shop"), routes()));
  const found: { diagnostics: readonly { code: string }[] }[] = [loaded];
  const reload = compilation.reload(files(naming("X-Shop"), routes({ desc: "again" })));
  reload.commit();
  const write = compilation.write(put("w", route()));
  write.commit();
  const refused = compilation.write(put("x", route({ nonsense: 1 })));
  found.push(reload, write, refused, { diagnostics: compilation.findings() });
  for (const one of found.filter((one) => one !== refused)) expect(codesOf(one)).toContain("GW4017");
  expect(codesOf(refused)).toContain("GW2101");
  expect(JSON.stringify(found.map(({ diagnostics }) => diagnostics))).not.toContain("s3cret");
});

it("reports of files and responses about routes mask it, also after its name changes", () => {
  const rpc = new CompilerRpc(newCompilation());
  const loaded = rpc.load(files(naming("X-Other"), routes({ nonsense: 1 })), []);
  expect(loaded.report).toContain("nonsense");
  expect(loaded.report).not.toMatch(/s3cret-(one|two)/);
  expect(rpc.load(files(naming("X-Shop"), routes({ nonsense: 1 })), []).report).not.toContain("s3cret");
  rpc.load(files(naming("X-Other"), routes()), []);
  const header = () => JSON.stringify(rpc.moduleView("routes", "r"));
  expect(header()).toContain("s3cret-three");
  expect(header()).not.toMatch(/s3cret-(one|two)/);
  rpc.reload(files(naming("X-Shop"), routes()));
  rpc.commit();
  expect(header()).not.toContain("s3cret");
  expect(JSON.stringify(rpc.diagnosticSummary())).not.toContain("s3cret");
});
