import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { packageFiles, writeFiles } from "../../support/plugin-package.js";
import { ProcessGateway } from "./gateway.js";

let gateway: ProcessGateway;
afterEach(() => gateway.end());

it("the admin API accepts metadata of a package's plugin", async () => {
  const upstream = { nodes: { "127.0.0.1:9": 1 } };
  const plugins = { noted: { value: "a" } };
  gateway = await ProcessGateway.prepare(
    { plugins: ["./noted"], routes: [{ id: "r", uri: "/r", upstream, plugins }] },
    { workers: 1 },
  );
  const metadata = '{"type":"object","properties":{"id":{"type":"string"}},"additionalProperties":false}';
  writeFiles(join(gateway.directory, "noted"), packageFiles("noted", { "metadata.json": metadata }));
  await gateway.open();
  const unknown = await gateway.admin("PUT", "/plugin_metadata/unknown", {});
  expect([unknown.status, unknown.json["error_msg"]]).toEqual([400, "invalid plugin name"]);
  const { status, text } = await gateway.admin("PUT", "/plugin_metadata/noted", {});
  expect([status, text]).toEqual([201, expect.anything()]);
});
