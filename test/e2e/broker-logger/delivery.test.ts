import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { partitionOf } from "../../../plugins/broker-logger/runtime/partition.js";
import { SendError, type Sink } from "../../../runtime/abi/delivery.js";
import { KafkaCluster, kafkaAbsent } from "../../support/kafka-cluster.js";
import { Authority } from "../syslog/authority.js";
import {
  bytes,
  CLIENTS,
  consume,
  createTopics,
  numbered,
  numbers,
  openSink,
  SenderContext,
  upTo,
} from "./sending.js";

const PASSWORD = "correct-horse-7391";
const reason = kafkaAbsent();

/** One broker for the whole file: each test has its own topic, and each client its own topics. */
describe.skipIf(reason !== undefined)(`delivery to a broker${reason ? ` (${reason})` : ""}`, () => {
  let authority: Authority;
  let cluster: KafkaCluster;
  const sinks: Sink[] = [];
  const opened = (sink: Sink) => {
    sinks.push(sink);
    return sink;
  };
  const failure = async (sending: Promise<void>) => {
    const error: unknown = await sending.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(SendError);
    return error as SendError;
  };

  beforeAll(async () => {
    authority = new Authority();
    const keystore = join(authority.directory, "keystore.pem");
    writeFileSync(keystore, readFileSync(authority.key, "utf8") + readFileSync(authority.cert, "utf8"));
    cluster = await KafkaCluster.start({
      brokers: 1,
      users: { logger: PASSWORD, other: "another-one" },
      keystore,
    });
    const topic = (name: string, numPartitions: number, more: Record<string, string> = {}) => ({
      topic: name,
      numPartitions,
      configEntries: Object.entries(more).map(([key, value]) => ({ name: key, value })),
    });
    await createTopics(
      cluster,
      ...CLIENTS.flatMap((client) => [
        topic(`${client}-plain`, 1),
        topic(`${client}-keys`, 5),
        topic(`${client}-turns`, 3),
        topic(`${client}-acks`, 1),
        topic(`${client}-small`, 1, { "max.message.bytes": "10000" }),
        topic(`${client}-compact`, 1, { "cleanup.policy": "compact" }),
        topic(`${client}-sasl`, 1),
        topic(`${client}-tls`, 1),
        topic(`${client}-packed`, 1),
        topic(`${client}-quota`, 1),
      ]),
    );
  });
  afterEach(async () => {
    for (const sink of sinks.splice(0)) await sink.close();
  });
  afterAll(async () => {
    await cluster?.stop();
    authority?.remove();
  });

  describe.each(CLIENTS)("by %s", (client) => {
    const topic = (name: string) => `${client}-${name}`;

    it("[log.broker.broker_topic] the broker-logger writes one record for each message, in order and byte for byte", async () => {
      const sink = opened(openSink({ client, brokers: cluster.brokers(), topic: topic("plain") }));
      await sink.send([{ payload: bytes('{"city":"Zürich","snow":"☃"}') }, ...numbered(0, 1000)]);
      const [first, ...others] = await consume(cluster.bootstrap, topic("plain"));
      expect(first).toMatchObject({ key: null, payload: '{"city":"Zürich","snow":"☃"}' });
      expect(numbers(others)).toEqual(upTo(1000));
    });

    it("[log.broker.key] the broker-logger puts a key into the partition that every other client would choose", async () => {
      const sink = opened(openSink({ client, brokers: cluster.brokers(), topic: topic("keys") }));
      const keys = ["", "a", "key1", "21", "foobar", "schlüssel", "Lorem ipsum dolor sit amet"];
      await sink.send(keys.flatMap((key, i) => numbered(i * 10, 10, bytes(key))));
      const records = await consume(cluster.bootstrap, topic("keys"));
      for (const [i, key] of keys.entries()) {
        const own = records.filter((record) => (record.key ?? "") === key);
        expect(numbers(own), key).toEqual(upTo(10).map((n) => i * 10 + n));
        expect(new Set(own.map(({ partition }) => partition)), key).toEqual(
          new Set([partitionOf(Buffer.from(key), 5)]),
        );
      }
    });

    it("[log.broker.producer_batch_num] full requests without a key go to all partitions in turn", async () => {
      const sink = opened(
        openSink({ client, brokers: cluster.brokers(), topic: topic("turns"), batchNum: 50 }),
      );
      await sink.send(numbered(0, 300));
      const records = await consume(cluster.bootstrap, topic("turns"));
      expect(numbers(records).sort((a, b) => a - b)).toEqual(upTo(300));
      for (const partition of [0, 1, 2])
        expect(records.filter((record) => record.partition === partition)).toHaveLength(100);
    });

    it.each([1, -1] as const)(
      "[log.broker.required_acks] the broker-logger delivers with required_acks %i",
      async (requiredAcks) => {
        const sink = opened(
          openSink({ client, brokers: cluster.brokers(), topic: topic("acks"), requiredAcks }),
        );
        const before = (await consume(cluster.bootstrap, topic("acks"))).length;
        await sink.send(numbered(0, 20));
        expect(await consume(cluster.bootstrap, topic("acks"))).toHaveLength(before + 20);
      },
    );

    it.each(["gzip", "snappy", "zstd"] as const)(
      "kcat reads records that the broker-logger compressed with %s",
      async (compression) => {
        const sink = opened(
          openSink({ client, brokers: cluster.brokers(), topic: topic("packed"), compression }),
        );
        const before = (await consume(cluster.bootstrap, topic("packed"))).length;
        await sink.send(numbered(0, 400, undefined, "x".repeat(700)));
        expect(numbers((await consume(cluster.bootstrap, topic("packed"))).slice(before))).toEqual(upTo(400));
      },
    );

    describe("with SASL", () => {
      it.each(["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"] as const)(
        "[log.broker.brokers[].sasl_config.mechanism] the broker-logger delivers with %s",
        async (mechanism) => {
          const sasl = { mechanism, user: "logger", password: `secret:${PASSWORD}` };
          const sink = opened(
            openSink({ client, brokers: cluster.brokers("sasl"), topic: topic("sasl"), sasl }),
          );
          const before = (await consume(cluster.bootstrap, topic("sasl"))).length;
          await sink.send(numbered(0, 10));
          expect(numbers((await consume(cluster.bootstrap, topic("sasl"))).slice(before))).toEqual(upTo(10));
        },
      );

      it.each(["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"] as const)(
        "a wrong password with %s fails the batch, and neither error nor events show it",
        async (mechanism) => {
          const context = new SenderContext();
          const sasl = { mechanism, user: "logger", password: "secret:not-the-one-4711" };
          const sink = opened(
            openSink({ client, brokers: cluster.brokers("sasl"), topic: topic("sasl"), sasl }, context),
          );
          const error = await failure(sink.send(numbered(0, 3)));
          expect(error).toMatchObject({ delivered: 0, refused: [] });
          expect(error.message).toMatch(/authentication failed/i);
          const said = JSON.stringify(context.reports) + error.message + String(error.cause);
          expect(context.reports.map(({ event }) => event)).toContain("brokers accept no records");
          expect(said).not.toContain("not-the-one-4711");
        },
      );

      it("no record is sent while the SASL password is unknown, and an event names the user", async () => {
        const context = new SenderContext();
        const sasl = { mechanism: "PLAIN", user: "logger", password: "elsewhere" } as const;
        const sink = opened(
          openSink({ client, brokers: cluster.brokers("sasl"), topic: topic("sasl"), sasl }, context),
        );
        const reason = "the password of SASL user logger is unknown";
        expect(await failure(sink.send(numbered(0, 1)))).toMatchObject({ delivered: 0, message: reason });
        expect(context.reports).toMatchObject([{ event: "secret_not_known", fields: { reason } }]);
      });
    });

    describe("with TLS", () => {
      it("the broker-logger delivers over TLS to a broker whose authority it trusts", async () => {
        const tls = { verify: true, ca: authority.caText };
        const sink = opened(openSink({ client, brokers: cluster.brokers("tls"), topic: topic("tls"), tls }));
        await sink.send(numbered(0, 10));
        expect(numbers(await consume(cluster.bootstrap, topic("tls")))).toEqual(upTo(10));
      });

      it("a batch fails if the broker's certificate is not trusted, unless verification is off", async () => {
        const strict = opened(
          openSink({ client, brokers: cluster.brokers("tls"), topic: topic("tls"), tls: { verify: true } }),
        );
        expect((await failure(strict.send(numbered(0, 1)))).message).toMatch(/certificate/);
        const before = (await consume(cluster.bootstrap, topic("tls"))).length;
        const lenient = opened(
          openSink({ client, brokers: cluster.brokers("tls"), topic: topic("tls"), tls: { verify: false } }),
        );
        await lenient.send(numbered(0, 1));
        expect(await consume(cluster.bootstrap, topic("tls"))).toHaveLength(before + 1);
      });
    });

    describe("records that a broker rejects", () => {
      it("a record that is too large is refused, and all others are delivered once", async () => {
        const sink = opened(openSink({ client, brokers: cluster.brokers(), topic: topic("small") }));
        const entries = numbered(0, 60, undefined, "x".repeat(500));
        entries.splice(17, 1, { payload: JSON.stringify({ n: 17, padding: "x".repeat(20_000) }) });
        const error = await failure(sink.send(entries));
        expect(error).toMatchObject({ delivered: 17, refused: [17] });
        expect(numbers(await consume(cluster.bootstrap, topic("small")))).toEqual(
          upTo(60).filter((n) => n !== 17),
        );
        await sink.send(entries.filter((_, i) => i >= 17 && i !== 17));
        expect(await consume(cluster.bootstrap, topic("small")), "nothing was sent twice").toHaveLength(59);
        await sink.send(numbered(60, 5));
        expect(await consume(cluster.bootstrap, topic("small")), "others follow").toHaveLength(64);
      });

      it("a record without a key is refused by a compacted topic, and the others are delivered", async () => {
        const sink = opened(openSink({ client, brokers: cluster.brokers(), topic: topic("compact") }));
        const entries = [...numbered(0, 1, "k"), ...numbered(1, 1), ...numbered(2, 1, "k")];
        expect(await failure(sink.send(entries))).toMatchObject({ delivered: 1, refused: [1] });
        expect(numbers(await consume(cluster.bootstrap, topic("compact")))).toEqual([0, 2]);
      });

      it("records for a missing topic are not refused and are delivered once it exists", async () => {
        const context = new SenderContext();
        const sink = opened(openSink({ client, brokers: cluster.brokers(), topic: topic("late") }, context));
        const entries = numbered(0, 5);
        const error = await failure(sink.send(entries));
        expect(error).toMatchObject({ delivered: 0, refused: [] });
        expect(error.message).toContain("This server does not host this topic-partition");
        await createTopics(cluster, { topic: topic("late"), numPartitions: 1 });
        await sink.send(entries);
        expect(numbers(await consume(cluster.bootstrap, topic("late")))).toEqual(upTo(5));
        expect(context.reports.map(({ event }) => event)).toContain("brokers accept records again");
      });
    });

    it("a batch fails with the reason if no broker can be reached, and closing the sink ends a delivery", async () => {
      const sink = opened(
        openSink({ client, brokers: [{ host: "127.0.0.1", port: 1 }], topic: topic("plain") }),
      );
      const error = await failure(sink.send(numbered(0, 2)));
      expect(error).toMatchObject({ delivered: 0, refused: [] });
      expect(error.message).toMatch(/ECONNREFUSED/);
      const second = failure(sink.send(numbered(0, 2)));
      await sink.close();
      expect(await second).toMatchObject({ delivered: 0 });
    });
  });

  describe("under a quota", () => {
    beforeAll(() => cluster.limit("gwc", 300_000));

    it.each(CLIENTS)(
      "the client %s delivers 4,500 records once under a quota that delays it",
      async (client) => {
        // More than the quota of the ten seconds that brokers average over, and a timeout below the pauses
        // that follow.
        const topic = `${client}-quota`;
        const sink = opened(openSink({ client, brokers: cluster.brokers(), topic, timeoutMs: 1000 }));
        const started = Date.now();
        await sink.send(numbered(0, 4500, undefined, "x".repeat(1000)));
        expect(Date.now() - started).toBeGreaterThan(2000);
        expect(numbers(await consume(cluster.bootstrap, topic))).toEqual(upTo(4500));
      },
    );
  });
});
