import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Sink } from "../../../runtime/abi/delivery.js";
import { KafkaCluster, kafkaAbsent } from "../../support/kafka-cluster.js";
import { Authority } from "../syslog/authority.js";
import {
  CLIENTS,
  consume,
  createTopics,
  numbered,
  numbers,
  openSink,
  SenderContext,
  upTo,
} from "./sending.js";

const reason = kafkaAbsent();

/** One broker whose TLS listener requires a client certificate. */
describe.skipIf(reason !== undefined)(
  `client certificates of the broker-logger${reason ? ` (${reason})` : ""}`,
  () => {
    let brokers: Authority;
    let clients: Authority;
    let cluster: KafkaCluster;
    const sinks: Sink[] = [];
    const opened = (sink: Sink) => {
      sinks.push(sink);
      return sink;
    };

    beforeAll(async () => {
      brokers = new Authority();
      clients = new Authority();
      const keystore = join(brokers.directory, "keystore.pem");
      writeFileSync(keystore, readFileSync(brokers.key, "utf8") + readFileSync(brokers.cert, "utf8"));
      cluster = await KafkaCluster.start({ brokers: 1, keystore, truststore: clients.ca });
      await createTopics(
        cluster,
        ...CLIENTS.map((client) => ({ topic: `${client}-certified`, numPartitions: 1 })),
      );
    });
    afterEach(async () => {
      for (const sink of sinks.splice(0)) await sink.close();
    });
    afterAll(async () => {
      await cluster?.stop();
      brokers?.remove();
      clients?.remove();
    });

    describe.each(CLIENTS)("by %s", (client) => {
      const topic = `${client}-certified`;
      const sinkWith = (identity: { cert?: string; key?: string }, context = new SenderContext()) =>
        opened(
          openSink(
            {
              client,
              brokers: cluster.brokers("tls"),
              topic,
              tls: { verify: true, ca: brokers.caText, ...identity },
            },
            context,
          ),
        );
      const own = (authority: Authority) => ({
        cert: readFileSync(authority.cert, "utf8"),
        key: `secret:${readFileSync(authority.key, "utf8")}`,
      });

      it("the broker-logger delivers with a client certificate of an authority that the broker trusts", async () => {
        await sinkWith(own(clients)).send(numbered(0, 10));
        expect(numbers(await consume(cluster.bootstrap, topic))).toEqual(upTo(10));
      });

      it("a batch fails with a reason if the broker misses the client certificate or distrusts it", async () => {
        const before = (await consume(cluster.bootstrap, topic)).length;
        await expect(sinkWith({}).send(numbered(0, 1))).rejects.toThrow(
          /certificate required|bad certificate/,
        );
        await expect(sinkWith(own(brokers)).send(numbered(0, 1))).rejects.toThrow(
          /unknown ca|certificate unknown/i,
        );
        expect(await consume(cluster.bootstrap, topic)).toHaveLength(before);
      });

      it("no record is sent with a missing, unreadable or wrong private key, and an event names the reason", async () => {
        const { cert, key } = own(clients);
        for (const [wrong, because] of [
          ["elsewhere", "the private key of tls is unknown"],
          ["secret:none", "the private key cannot be read"],
          [own(brokers).key, "the private key does not fit the certificate"],
        ] as const) {
          const context = new SenderContext();
          await expect(sinkWith({ cert, key: wrong }, context).send(numbered(0, 1))).rejects.toThrow(because);
          expect(context.reports).toMatchObject([{ event: "secret_not_known", fields: { reason: because } }]);
        }
        expect(key).toContain("PRIVATE KEY");
      });
    });
  },
);
