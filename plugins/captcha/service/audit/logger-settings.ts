/**
 * Settings of the loggers, as their schemas let them through (`schema.json` of syslog and broker-logger), in the form that
 * sinks take. Routes get theirs from the compiler; the captcha's come with the deployment.
 */
import type { BatchSettings } from "../../../../runtime/abi/delivery.js";
import type {
  BrokerDestination,
  SaslSettings,
  SyslogDestination,
} from "../../../../runtime/logging/logger-settings.js";

type Written = Readonly<Record<string, unknown>>;

const KILOBYTE = 1_024;
const SECOND = 1_000;

/** Value of a setting, or its default. The schema has checked the type. */
function setting<T>(settings: Written, name: string, otherwise: T): T {
  const value = settings[name];
  return value === undefined ? otherwise : (value as T);
}

export const batchSettings = (settings: Written, name: string): BatchSettings => ({
  name: setting(settings, "name", name),
  batchMaxSize: setting(settings, "batch_max_size", 1_000),
  inactiveTimeout: setting(settings, "inactive_timeout", 5),
  bufferDuration: setting(settings, "buffer_duration", 60),
  maxRetryCount: setting(settings, "max_retry_count", 0),
  retryDelay: setting(settings, "retry_delay", 1),
  maxPendingEntries: 8_192,
  maxPendingBytes: setting(settings, "max_pending_bytes", 67_108_864),
});

export function syslogDestination(settings: Written): SyslogDestination {
  const ca = setting<string | undefined>(settings, "ca", undefined);
  const maxDatagram = setting<number | undefined>(settings, "max_datagram", undefined);
  return {
    host: withoutBrackets(setting(settings, "host", "")),
    port: setting(settings, "port", 0),
    sockType: setting(settings, "sock_type", "tcp"),
    tls: setting(settings, "tls", false),
    framing: setting(settings, "framing", "newline"),
    timeoutMs: setting(settings, "timeout", 3_000),
    flushLimit: setting(settings, "flush_limit", 4_096) * KILOBYTE,
    dropLimit: setting(settings, "drop_limit", 1_048_576) * KILOBYTE,
    poolSize: setting(settings, "pool_size", 5),
    ...(ca === undefined ? {} : { ca }),
    ...(maxDatagram === undefined ? {} : { maxDatagram }),
  };
}

interface Broker {
  host: string;
  port: number;
  sasl_config?: { mechanism?: SaslSettings["mechanism"]; user: string; password: string };
}

export function brokerDestination(settings: Written): BrokerDestination {
  const brokers = brokersOf(settings);
  const sasl = brokers.find((broker) => broker.sasl_config !== undefined)?.sasl_config;
  const tls = setting<{ verify?: boolean; ca?: string } | undefined>(settings, "tls", undefined);
  return {
    brokers: brokers.map(({ host, port }) => ({ host: withoutBrackets(host), port })),
    ...(sasl === undefined
      ? {}
      : { sasl: { mechanism: sasl.mechanism ?? "PLAIN", user: sasl.user, password: sasl.password } }),
    ...(tls === undefined ? {} : { tls: { ...tls, verify: tls.verify ?? true } }),
    topic: setting(settings, "broker_topic", ""),
    producerType: setting(settings, "producer_type", "async"),
    requiredAcks: setting(settings, "required_acks", 1),
    timeoutMs: setting(settings, "timeout", 3) * SECOND,
    clusterName: setting(settings, "cluster_name", 1),
    batchNum: setting(settings, "producer_batch_num", 200),
    batchSize: setting(settings, "producer_batch_size", 1_048_576),
    maxBuffering: setting(settings, "producer_max_buffering", 50_000),
    lingerMs: setting(settings, "producer_time_linger", 1) * SECOND,
    metadataRefreshMs: setting(settings, "meta_refresh_interval", 30) * SECOND,
    compression: setting(settings, "compression", "none"),
  };
}

/** `brokers`, or the deprecated `broker_list` in any of its forms. */
function brokersOf(settings: Written): Broker[] {
  const brokers = setting<Broker[] | undefined>(settings, "brokers", undefined);
  if (brokers !== undefined) return brokers;
  const list = setting<Record<string, number> | (string | Broker)[]>(settings, "broker_list", []);
  if (!Array.isArray(list)) return Object.entries(list).map(([host, port]) => ({ host, port }));
  return list.map((item) => {
    if (typeof item !== "string") return item;
    const colon = item.lastIndexOf(":");
    return { host: item.slice(0, colon), port: Number(item.slice(colon + 1)) };
  });
}

/** Sockets want IPv6 addresses bare. */
const withoutBrackets = (host: string) => host.replace(/^\[(.*)\]$/, "$1");
