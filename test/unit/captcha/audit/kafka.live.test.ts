import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { consume, createTopics } from "../../../e2e/broker-logger/sending.js";
import { botTick, CaptchaApi } from "../../../support/captcha-api.js";
import { KafkaCluster, kafkaAbsent } from "../../../support/kafka-cluster.js";

const reason = kafkaAbsent();

describe.skipIf(reason !== undefined)(`audit records in a topic${reason ? ` (${reason})` : ""}`, () => {
  let cluster: KafkaCluster;
  let api: CaptchaApi;
  beforeAll(async () => {
    cluster = await KafkaCluster.start({ brokers: 1, users: { first: "pass-one-1" } });
    await createTopics(cluster, { topic: "captcha", numPartitions: 1 });
    api = await CaptchaApi.open();
    const sasl_config = { mechanism: "SCRAM-SHA-256", user: "first", password: "pass-one-1" };
    const brokers = cluster.brokers("sasl").map((broker) => ({ ...broker, sasl_config }));
    const settings = { brokers, broker_topic: "captcha", batch_max_size: 1 };
    api.audit.send([{ kind: "broker-logger", settings }]);
  });
  afterAll(async () => {
    await api?.close();
    await cluster?.stop();
  });

  it("[A28] the topic receives decision and verification of a visitor without address, UA or token", async () => {
    const visitor = api.visitor({ address: "203.0.113.77" });
    const { body } = await visitor.arrive(botTick());
    expect(body["outcome"]).toBe("task");
    const verification = { request_id: "req_x", site_key: "shop-widget-01", customer: "shop", success: true };
    api.audit.verification({ ...verification, ip: "same" });
    await api.audit.close(20_000);
    const payloads = (await consume(cluster.bootstrap, "captcha")).map(({ payload }) => payload ?? "");
    expect(payloads.map((payload) => JSON.parse(payload))).toMatchObject([
      { event: "captcha_decision", decision: "task", reasons: [{ code: "webdriver" }] },
      { event: "captcha_verification", ...verification, ip: "same" },
    ]);
    expect(payloads.join("\n")).not.toMatch(/203\.0\.113|Mozilla|Gecko|eyJ/);
  });
});
