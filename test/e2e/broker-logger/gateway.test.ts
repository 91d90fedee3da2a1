import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { KafkaCluster, kafkaAbsent } from "../../support/kafka-cluster.js";
import { until } from "../../support/patience.js";
import { ProcessGateway } from "../process/gateway.js";
import { CLIENTS, type ConsumedRecord, consume, createTopics } from "./sending.js";

const reason = kafkaAbsent();

describe.skipIf(reason !== undefined)(`a gateway before Kafka${reason ? ` (${reason})` : ""}`, () => {
  let upstream: Server;
  let nodes: Record<string, number>;
  let cluster: KafkaCluster;
  let gateway: ProcessGateway;

  beforeAll(async () => {
    upstream = createServer((request, response) => {
      request.resume();
      request.on("end", () => response.end("hello"));
    });
    await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
    nodes = { [`127.0.0.1:${(upstream.address() as AddressInfo).port}`]: 1 };
    cluster = await KafkaCluster.start({ brokers: 1, users: { first: "pass-one-1", second: "pass-two-2" } });
    await createTopics(
      cluster,
      ...["test2", "legacy", "origin"]
        .concat(
          CLIENTS.flatMap((client) => ["rotation", "wrong", "durable"].map((name) => `${client}-${name}`)),
        )
        .map((topic) => ({ topic, numPartitions: 3 })),
    );
  });
  afterEach(async () => {
    await gateway.end();
  });
  afterAll(async () => {
    await cluster?.stop();
    upstream?.close();
  });

  const put = async (path: string, body: object) => {
    const { status, text } = await gateway.admin("PUT", path, body);
    expect([200, 201], text).toContain(status);
  };
  const route = (settings: object) => ({
    plugins: { "broker-logger": { inactive_timeout: 1, ...settings } },
    upstream: { type: "roundrobin", nodes },
    uri: "/hello",
  });
  const consumed = async (topic: string, count: number): Promise<ConsumedRecord[]> => {
    let found: ConsumedRecord[] = [];
    await until(async () => {
      found = await consume(cluster.bootstrap, topic);
      return found.length >= count;
    });
    return found;
  };
  const recordOf = (record: ConsumedRecord | undefined) =>
    JSON.parse(record?.payload ?? "null") as Record<string, unknown>;

  it("[log.broker.brokers] [log.broker.brokers[].host] [log.broker.brokers[].port] [log.broker.batch_max_size] the broker-logger ships records of the specification's route and of the metadata's format", async () => {
    gateway = await ProcessGateway.start({});
    const logged = route({
      brokers: cluster.brokers(),
      broker_topic: "test2",
      key: "key1",
      batch_max_size: 1,
      name: "broker logger",
    });
    await put("/routes/5", logged);
    await gateway.get("/hello?a=1", { Host: "shop.example.com", Authorization: "Bearer secret" });
    const [first] = await consumed("test2", 1);
    expect(first?.key).toBe("key1");
    expect(recordOf(first)).toMatchObject({
      upstream: Object.keys(nodes)[0],
      client_ip: "127.0.0.1",
      service_id: "",
      route_id: "5",
      request: { method: "GET", uri: "/hello?a=1", querystring: { a: "1" } },
      response: { status: 200 },
      latency: expect.any(Number),
    });
    expect(first?.payload).not.toContain("secret");

    await put("/plugin_metadata/broker-logger", { log_format: { host: "$host", client: "$remote_addr" } });
    await gateway.get("/hello", { Host: "shop.example.com" });
    const [, second] = await consumed("test2", 2);
    expect(recordOf(second)).toEqual({ host: "shop.example.com", client: "127.0.0.1", route_id: "5" });
    expect(second?.partition).toBe(first?.partition);
  });

  it("[log.broker.broker_list] [log.broker.producer_type] the broker-logger ships with broker_list, synchronously", async () => {
    const [broker] = cluster.brokers();
    gateway = await ProcessGateway.start({
      routes: [
        {
          id: "1",
          ...route({
            broker_list: { [`${broker?.host}`]: broker?.port },
            broker_topic: "legacy",
            producer_type: "sync",
            compression: "snappy",
            key: "$remote_addr",
          }),
        },
      ],
    });
    for (let i = 0; i < 10; i++) await gateway.get(`/hello?n=${i}`);
    const records = await consumed("legacy", 10);
    expect(new Set(records.map(({ key }) => key))).toEqual(new Set(["127.0.0.1"]));
    expect(new Set(records.map(({ partition }) => partition)).size).toBe(1);
  });

  it("[log.broker.meta_format] the broker-logger ships the text of the request with meta_format origin", async () => {
    gateway = await ProcessGateway.start({});
    await put(
      "/routes/1",
      route({
        brokers: cluster.brokers(),
        broker_topic: "origin",
        meta_format: "origin",
        compression: "zstd",
        batch_max_size: 1,
      }),
    );
    await gateway.get("/hello?a=1", { Host: "shop.example.com", "X-Shop": "7" });
    const [text] = await consumed("origin", 1);
    expect(text?.payload).toMatch(/^GET \/hello\?a=1 HTTP\/1\.1\r\n/);
    expect(text?.payload).toMatch(/\r\nX-Shop: 7\r\n/i);
    expect(text?.payload).toMatch(/\r\n\r\n$/);
  });

  describe.each(CLIENTS)("by %s", (client) => {
    const topic = (name: string) => `${client}-${name}`;

    it("[log.broker.brokers[].sasl_config] [log.broker.brokers[].sasl_config.user] [log.broker.brokers[].sasl_config.password] the broker-logger loses and repeats no record while credentials rotate under load", async () => {
      gateway = await ProcessGateway.start({});
      const as = (user: string, password: string, mechanism: string) => ({
        brokers: cluster
          .brokers("sasl")
          .map((broker) => ({ ...broker, sasl_config: { mechanism, user, password } })),
        client,
        broker_topic: topic("rotation"),
        batch_max_size: 50,
        max_retry_count: 5,
      });
      await put("/routes/1", route(as("first", "pass-one-1", "SCRAM-SHA-256")));
      let done = false;
      let answered = 0;
      const load = Promise.all(
        Array.from({ length: 4 }, async (_, user) => {
          for (let i = 0; !done; i++) {
            const { status } = await gateway.get(`/hello?n=${user}-${i}`);
            expect(status).toBe(200);
            answered++;
          }
        }),
      );
      const more = (count: number) => {
        const goal = answered + count;
        return until(() => answered >= goal);
      };
      for (const [user, password, mechanism] of [
        ["second", "pass-two-2", "SCRAM-SHA-256"],
        ["first", "pass-one-1", "PLAIN"],
        ["second", "pass-two-2", "SCRAM-SHA-512"],
      ] as const) {
        await more(100);
        await put("/routes/1", route(as(user, password, mechanism)));
      }
      await more(100);
      done = true;
      await load;
      await consumed(topic("rotation"), answered);
      // A process that has ended repeats nothing.
      await gateway.stop();
      const uris = (await consume(cluster.bootstrap, topic("rotation"))).map(
        (record) => (recordOf(record)["request"] as { uri: string }).uri,
      );
      console.log(
        `rotation by ${client}: answered ${answered}, received ${uris.length}, lost = ${answered - new Set(uris).size}`,
      );
      expect(uris).toHaveLength(answered);
      expect(new Set(uris).size).toBe(answered);
      expect(gateway.errors + gateway.output).not.toMatch(/pass-one-1|pass-two-2/);
    });

    it("a durable broker-logger serves requests while the broker is down and delivers their records later", async () => {
      gateway = await ProcessGateway.start({});
      await put(
        "/routes/1",
        route({
          brokers: cluster.brokers(),
          client,
          broker_topic: topic("durable"),
          delivery: "durable",
          required_acks: -1,
        }),
      );
      await cluster.kill(1);
      try {
        for (let i = 0; i < 30; i++) expect((await gateway.get(`/hello?n=${i}`)).status).toBe(200);
      } finally {
        await cluster.open(1);
      }
      const records = (await consumed(topic("durable"), 30)).map(recordOf);
      const uris = records.map(({ request }) => (request as { uri: string }).uri);
      expect(new Set(uris).size).toBe(30);
      const ids = new Set(records.map((record) => record["record_id"]));
      expect(ids.has(undefined)).toBe(false);
      expect(ids.size, "copies have the id of the first").toBe(30);
    });

    it("rejected credentials are logged without the password", async () => {
      gateway = await ProcessGateway.start({});
      const [broker] = cluster.brokers("sasl");
      const sasl_config = { user: "first", password: "not-this-one-99" };
      await put(
        "/routes/1",
        route({
          brokers: [{ ...broker, sasl_config }],
          client,
          broker_topic: topic("wrong"),
          batch_max_size: 1,
        }),
      );
      await gateway.get("/hello");
      await until(() => /authentication failed/i.test(gateway.errors));
      expect(gateway.errors + gateway.output).not.toContain("not-this-one-99");
    });
  });
});
