import { isDeepStrictEqual } from "node:util";
import {
  defineLogger,
  type PlannedSecrets,
  planLogText,
  type UnusedSetting,
} from "../../compiler/logger-api.js";
import {
  diagnostic,
  type JsonObject,
  type Path,
  type PlanContext,
  type PluginSettings,
  type Sources,
} from "../../compiler/plugin-api.js";
import { DEFAULTS } from "./runtime/defaults.gen.js";
import type { Broker, BrokerLogger } from "./schema.gen.js";

type Settled = PluginSettings<BrokerLogger>;

const SECOND = 1000;

export const brokerLogger = {
  moduleUrl: import.meta.url,
  priority: 403,
  ...defineLogger<BrokerLogger>({
    name: "broker-logger",
    defaults: DEFAULTS,
    plan(settings, context, secrets) {
      const { value, spans } = settings;
      const brokers = addressesOf(settings, context);
      const sasl = saslOf(brokers, settings, secrets, context);
      const destination = destinationOf(settings, brokers, secrets);
      return {
        destination: sasl === undefined ? destination : { ...destination, sasl },
        versions: secrets.allVersions,
        ...(value.meta_format === "origin" && { more: { metaFormat: "origin" } }),
        ...(value.key !== undefined && {
          entryKey: planLogText(value.key, "the key of a message", spans.value(["key"]), context),
        }),
        idle: idleFields(value),
      };
    },
    sources: sourcesOf,
    label: ({ topic }) => `${topic} topic`,
    describe: ({ topic }) => `the topic ${topic} of a Kafka cluster`,
  }),
};

/** The credentials come from the first broker that has some. */
function sourcesOf(destination: JsonObject): Sources {
  const { brokers } = destination as unknown as { brokers: readonly Broker[] };
  const written = brokers.map(({ host }, i) => [
    i,
    [
      ["brokers", i],
      ["broker_list", i],
      ["broker_list", host],
    ],
  ]);
  return {
    destination: {
      brokers: Object.fromEntries(written) as Sources,
      topic: ["broker_topic"],
      timeoutMs: ["timeout"],
      batchNum: ["producer_batch_num"],
      batchSize: ["producer_batch_size"],
      maxBuffering: ["producer_max_buffering"],
      lingerMs: ["producer_time_linger"],
      metadataRefreshMs: ["meta_refresh_interval"],
      sasl: brokers.map((_, i) => ["brokers", i, "sasl_config"]),
    },
    versions: [["brokers"], ["tls", "key"]],
    keyOf: ["key"],
  };
}

/** Brokers in any of their notations. Reports ports that nothing can connect to. */
function addressesOf({ value, spans }: Settled, context: PlanContext): Broker[] {
  const { brokers, broker_list: list = [] } = value;
  if (brokers === undefined) context.report(diagnostic("GW4410", spans.key(["broker_list"])));
  const written: { broker: Broker; path: Path }[] =
    brokers?.map((broker, i) => ({ broker, path: ["brokers", i, "port"] })) ??
    (Array.isArray(list)
      ? list.map((item, i) => {
          const broker = typeof item === "string" ? splitAddress(item) : item;
          return { broker, path: ["broker_list", i, ...(typeof item === "string" ? [] : ["port"])] };
        })
      : Object.entries(list).map(([host, port]) => ({
          broker: { host, port },
          path: ["broker_list", host],
        })));
  for (const { broker, path } of written)
    if (broker.port === 0) context.report(diagnostic("GW4411", spans.value(path), { host: broker.host }));
  return written.map(({ broker }) => broker);
}

function splitAddress(address: string): Broker {
  const colon = address.lastIndexOf(":");
  return { host: address.slice(0, colon), port: Number(address.slice(colon + 1)) };
}

/** `BrokerDestination` of the runtime without SASL. */
function destinationOf(
  { value, spans }: Settled,
  brokers: readonly Broker[],
  secrets: PlannedSecrets,
): JsonObject {
  return {
    brokers: brokers.map(({ host, port }) => ({ host: host.replace(/^\[(.*)\]$/, "$1"), port })),
    topic: value.broker_topic,
    client: value.client,
    producerType: value.producer_type,
    requiredAcks: value.required_acks,
    timeoutMs: value.timeout * SECOND,
    clusterName: value.cluster_name,
    batchNum: value.producer_batch_num,
    batchSize: value.producer_batch_size,
    maxBuffering: value.producer_max_buffering,
    lingerMs: value.producer_time_linger * SECOND,
    metadataRefreshMs: value.meta_refresh_interval * SECOND,
    compression: value.compression,
    ...(value.tls && {
      tls: { ...value.tls, ...secrets.clientPair(value.tls, ["tls"], spans) },
    }),
  };
}

/** A cluster has one set of credentials, however many brokers are named. */
function saslOf(
  brokers: readonly Broker[],
  { spans }: Settled,
  secrets: PlannedSecrets,
  context: PlanContext,
): JsonObject | undefined {
  const at = brokers.findIndex((broker) => broker.sasl_config !== undefined);
  const sasl = brokers[at]?.sasl_config;
  if (sasl === undefined) return undefined;
  const first = { message: "the first one is here", span: spans.key(["brokers", at, "sasl_config"]) };
  for (const [i, { sasl_config: other }] of brokers.entries()) {
    if (other === undefined)
      context.report(diagnostic("GW4409", spans.value(["brokers", i]), {}, { notes: [first] }));
    else if (!isDeepStrictEqual(other, sasl))
      context.report(diagnostic("GW4408", spans.key(["brokers", i, "sasl_config"]), {}, { notes: [first] }));
  }
  const password = secrets.reference(sasl.password, ["brokers", at, "sasl_config", "password"]);
  return { mechanism: sasl.mechanism, user: sasl.user, password };
}

function idleFields({ producer_type, meta_format }: BrokerLogger): UnusedSetting[] {
  const synchronous = "producer_type: sync sends each batch unchanged";
  const origin = "meta_format: origin creates no record";
  return [
    { field: "api_version", because: "the brokers negotiate the version" },
    ...(producer_type === "sync"
      ? ["cluster_name", "producer_max_buffering", "producer_time_linger"].map((field) => ({
          field,
          because: synchronous,
        }))
      : []),
    ...(meta_format === "origin"
      ? ["log_format", "log_format_extra", "include_resp_body"].map((field) => ({ field, because: origin }))
      : []),
  ];
}
