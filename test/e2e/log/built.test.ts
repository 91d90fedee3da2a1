import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { CLI } from "../../support/cli.js";
import { LineServer } from "../../support/line-server.js";
import { ProcessGateway } from "../process/gateway.js";

it("a build keeps its plugin metadata while the store gets and loses metadata of another plugin", async () => {
  const upstream = createServer((_, response) => response.end("ok")).listen(0, "127.0.0.1");
  await once(upstream, "listening");
  const sink = await LineServer.start();
  const nodes = { [`127.0.0.1:${(upstream.address() as AddressInfo).port}`]: 1 };
  const syslog = { host: "127.0.0.1", port: sink.port, batch_max_size: 1 };
  const gateway = await ProcessGateway.prepare({
    plugin_metadata: [{ id: "syslog", log_format: { built: "$host" } }],
    routes: [{ id: "a", uri: "/a", upstream: { nodes }, plugins: { syslog } }],
  });
  const env = { ...process.env, GW_TEST_KEY: ProcessGateway.KEY };
  execFileSync(process.execPath, [CLI, "build", "gateway.json", "--out", "dist"], {
    cwd: gateway.directory,
    env,
  });
  const record = async () => {
    const from = sink.lines.length;
    await gateway.get("/a", { Host: "shop.test" });
    return (await sink.records(1, from))[0];
  };
  const asBuilt = { built: "shop.test", route_id: "a" };
  const other = { log_format: { stored: "$uri" } };
  try {
    await gateway.open({ paths: ["dist"], writable: true });
    expect(await record()).toEqual(asBuilt);
    const refused = await gateway.admin("PUT", "/plugin_metadata/syslog", other);
    expect([refused.status, refused.json["error_msg"]]).toEqual([
      400,
      expect.stringContaining("part of the build") as string,
    ]);
    expect((await gateway.admin("PUT", "/plugin_metadata/broker-logger", other)).status).toBe(201);
    expect(await record()).toEqual(asBuilt);
    await gateway.stop();
    await gateway.open({ paths: ["dist"], writable: true });
    expect((await gateway.admin("GET", "/plugin_metadata/broker-logger")).status).toBe(200);
    expect(await record()).toEqual(asBuilt);
    expect((await gateway.admin("DELETE", "/plugin_metadata/broker-logger")).status).toBe(200);
    expect(await record()).toEqual(asBuilt);
  } finally {
    await gateway.end();
    await sink.stop();
    upstream.close();
    upstream.closeAllConnections();
  }
});
