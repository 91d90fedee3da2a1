import "../../../plugins/index.js";
import { expect, it } from "vitest";
import { CompilerRpc } from "../../../compiler/thread/compiler-rpc.js";
import { newCompilation } from "../../support/compilation.js";

const route = (id: string) => ({ id, uri: `/${id}`, upstream: { nodes: { "127.0.0.1:80": 1 } } });

it("a load and a reload report resources of files, and none of the store", () => {
  const rpc = new CompilerRpc(newCompilation());
  const text = JSON.stringify({ routes: [route("file")] });
  const files = {
    sources: [{ name: "gateway.json", text, format: "json" as const }],
    ...{ faults: [], environment: {} },
  };
  const stored = [{ kind: "routes" as const, id: "stored", value: route("stored") }];
  const loaded = rpc.load(files, stored);
  expect(loaded.artifact?.routes.map(({ id }) => id)).toEqual(["file", "stored"]);
  for (const { statics } of [loaded, rpc.reload(files)]) expect(statics.names).toEqual(["routes/file"]);
});
