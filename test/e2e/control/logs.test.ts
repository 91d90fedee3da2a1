import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { until } from "../../support/patience.js";
import { freePort } from "../../support/ports.js";
import { RecordReceiver } from "../../support/record-receiver.js";
import { ProcessGateway } from "../process/gateway.js";

interface Destination {
  id: string;
  address: string;
  delivery: string;
  used_by: { kind: string; id: string; routes: number }[];
  waiting: { entries: number; bytes: number };
  sent: number;
  failure: { message: string; over: boolean } | null;
}

const receiver = new RecordReceiver();
const password = randomUUID();
let gateway: ProcessGateway;
let dead: number;
beforeAll(async () => {
  await receiver.start();
  dead = await freePort();
  const records = { log_format: { path: "$uri" }, record_id: true };
  const syslog = { host: "127.0.0.1", ...records };
  const upstream = { nodes: { "127.0.0.1:9": 1 } };
  gateway = await ProcessGateway.start({
    services: [
      { id: "all", upstream, plugins: { syslog: { ...syslog, port: receiver.port, batch_max_size: 1 } } },
    ],
    routes: [
      { id: "of-service", uri: "/of-service", service_id: "all" },
      {
        ...{ id: "own", uri: "/own", service_id: "all" },
        plugins: { syslog: { ...syslog, port: dead, delivery: "durable" } },
      },
    ],
    global_rules: [
      {
        id: "broker",
        plugins: {
          "broker-logger": {
            brokers: [
              { host: "127.0.0.1", port: dead, sasl_config: { user: "gw", password, mechanism: "PLAIN" } },
            ],
            broker_topic: "requests",
          },
        },
      },
    ],
  });
});
afterAll(async () => {
  await gateway?.end();
  await receiver.kill();
});

async function destinations(): Promise<Record<string, Destination>> {
  const { json, text } = await gateway.admin("GET", "/logs");
  expect(text).not.toContain(password);
  const list = json["destinations"] as Destination[];
  return Object.fromEntries(list.map((one) => [one.address, one]));
}

it("the log output list adds up the entries of all workers and names the resources that set each output", async () => {
  for (let i = 0; i < 20; i++) await gateway.get("/of-service");
  const at = `127.0.0.1:${receiver.port}`;
  await until(async () => (await destinations())[at]?.sent === 20);
  const found = await destinations();
  expect(found[at]).toMatchObject({
    delivery: "memory",
    used_by: [{ kind: "services", id: "all", routes: 1 }],
    waiting: { entries: 0, bytes: 0 },
    failure: null,
  });
  expect(found[`127.0.0.1:${dead}`]?.used_by).toEqual([{ kind: "routes", id: "own", routes: 1 }]);
  expect(found[`127.0.0.1:${dead} requests`]?.used_by).toEqual([
    { kind: "global_rules", id: "broker", routes: 0 },
  ]);
});

it("a spool without a logger remains in the log output list until it is purged", async () => {
  const at = `127.0.0.1:${dead}`;
  for (let i = 0; i < 5; i++) await gateway.get("/own");
  await until(async () => {
    const { waiting, failure } = (await destinations())[at] ?? {};
    return waiting?.entries === 5 && failure?.over === false;
  });
  gateway.write({ routes: [] });
  gateway.process.kill("SIGHUP");
  const left = await until(async () => {
    const one = (await destinations())[at];
    return one?.used_by.length === 0 ? one : undefined;
  });
  expect(left).toMatchObject({ delivery: "durable", waiting: { entries: 5 } });
  const { status, json } = await gateway.admin("POST", `/logs/${left.id}/purge`, {});
  expect([status, json]).toEqual([200, { destination: left.id, entries: 5 }]);
  await until(async () => (await destinations())[at] === undefined);
});
