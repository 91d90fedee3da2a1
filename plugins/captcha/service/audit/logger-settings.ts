/** Settings in the form for sinks; the captcha's come with the deployment, not from the compiler. */
import { type BatchSettings, filled, LOGGER_DEFAULTS } from "../../../../runtime/abi/plugin-api.js";
import type { BrokerDestination, StreamDestination } from "../../../../runtime/logging/index.js";
import { BROKER_DEFAULTS, OPTIONAL_DEFAULTS, SYSLOG_DEFAULTS } from "./defaults.gen.js";

type SaslSettings = NonNullable<BrokerDestination["sasl"]>;
type Written = Readonly<Record<string, unknown>>;

const KILOBYTE = 1_024;
const SECOND = 1_000;

function written(members: Written): Written {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** The schema has checked the type. */
const times = (value: unknown, unit: number) => (value === undefined ? undefined : (value as number) * unit);

export const batchSettings = (settings: Written, name: string): BatchSettings =>
  filled(
    written({
      name: settings["name"],
      batchMaxSize: settings["batch_max_size"],
      inactiveTimeout: settings["inactive_timeout"],
      bufferDuration: settings["buffer_duration"],
      maxRetryCount: settings["max_retry_count"],
      retryDelay: settings["retry_delay"],
      maxPendingBytes: settings["max_pending_bytes"],
    }),
    { ...LOGGER_DEFAULTS.batch, name },
  );

export function syslogDestination(settings: Written): StreamDestination {
  return filled(
    written({
      host: withoutBrackets(settings["host"] as string),
      port: settings["port"],
      sockType: settings["sock_type"],
      tls: settings["tls"],
      framing: settings["framing"],
      timeoutMs: settings["timeout"],
      flushLimit: times(settings["flush_limit"], KILOBYTE),
      dropLimit: times(settings["drop_limit"], KILOBYTE),
      poolSize: settings["pool_size"],
      ca: settings["ca"],
      cert: settings["cert"],
      key: settings["key"],
      maxDatagram: settings["max_datagram"],
    }),
    SYSLOG_DEFAULTS,
  );
}

interface Broker {
  host: string;
  port: number;
  sasl_config?: { mechanism?: SaslSettings["mechanism"]; user: string; password: string };
}

export function brokerDestination(settings: Written): BrokerDestination {
  const brokers = brokersOf(settings);
  const sasl = brokers.find((broker) => broker.sasl_config !== undefined)?.sasl_config;
  const { tls } = settings;
  return filled(
    written({
      brokers: brokers.map(({ host, port }) => ({ host: withoutBrackets(host), port })),
      sasl: sasl && filled<SaslSettings>(sasl, OPTIONAL_DEFAULTS.sasl),
      tls: tls && filled(tls, OPTIONAL_DEFAULTS.tls),
      topic: settings["broker_topic"],
      producerType: settings["producer_type"],
      requiredAcks: settings["required_acks"],
      timeoutMs: times(settings["timeout"], SECOND),
      clusterName: settings["cluster_name"],
      batchNum: settings["producer_batch_num"],
      batchSize: settings["producer_batch_size"],
      maxBuffering: settings["producer_max_buffering"],
      lingerMs: times(settings["producer_time_linger"], SECOND),
      metadataRefreshMs: times(settings["meta_refresh_interval"], SECOND),
      compression: settings["compression"],
    }),
    BROKER_DEFAULTS,
  );
}

function brokersOf(settings: Written): Broker[] {
  const { brokers, broker_list: list = [] } = settings as {
    brokers?: Broker[];
    broker_list?: Record<string, number> | (string | Broker)[];
  };
  if (brokers !== undefined) return brokers;
  if (!Array.isArray(list)) return Object.entries(list).map(([host, port]) => ({ host, port }));
  return list.map((item) => {
    if (typeof item !== "string") return item;
    const colon = item.lastIndexOf(":");
    return { host: item.slice(0, colon), port: Number(item.slice(colon + 1)) };
  });
}

/** Sockets take IPv6 addresses without brackets. */
const withoutBrackets = (host: string) => host.replace(/^\[(.*)\]$/, "$1");
