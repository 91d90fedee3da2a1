/**
 * Settings of loggers with their defaults, as a generated module passes them to `syslog({…})` or
 * `brokerLogger({…})`. Plain data, but for the functions that the compiler made out of the configuration.
 */

import type { BatchSettings } from "../abi/delivery.js";
import type { Exchange, RecordFields, RecordMaker } from "../abi/exchange.js";
import type { BodyMaskSettings } from "./body-masks.js";
import type { SampleKey, SampleSettings } from "./sampler.js";

export interface SpoolSettings {
  /** Maximum undelivered bytes of one destination on disk, of all workers together. */
  readonly maxBytes: number;
  /** Policy of a full spool: "refuse" takes no new entries, "drop_oldest" removes the oldest segment that no writer appends to. */
  readonly onFull: "refuse" | "drop_oldest";
}

/** Limit of a body in a record. */
export interface BodySettings {
  /** Maximum bytes of the body, in its coding and once decoded; a longer one is cut and marked. */
  readonly maxBytes: number;
}

/**
 * Names to mask, in lower case: headers and queries of default records and of the origin format, queries in
 * formats.
 */
export interface RedactSettings {
  /** false: no mask for places where the configuration's plugins read credentials. */
  readonly credentials?: boolean;
  readonly headers: readonly string[];
  readonly query: readonly string[];
}

export interface LoggerSettings<Settings> {
  /**
   * SHA-256 in hex of kind, destination, versions of its credentials, batch, delivery and spool, not of
   * format, redaction or route. Loggers with one key share one batch and one connection.
   */
  readonly key: string;
  /** Identity of the destination without credentials, whose rotation keeps its spool (`Destination.id`). */
  readonly destinationId: string;
  /** Settings of the sink (`Destination.settings`); `ResourceContext.secret` resolves references to secrets. */
  readonly destination: Settings;
  /** `maxPendingEntries` is the default of `max_pending_entries` in the plugin's metadata. */
  readonly batch: BatchSettings;
  readonly delivery: "memory" | "durable";
  /** "response": the last byte of the response waits for the spool. Only with `delivery: durable`. */
  readonly ack: "log" | "response";
  /** Only with `delivery: durable`. */
  readonly spool?: SpoolSettings;
  /** "origin": the message is the text of the request as received, without a record. Default: "default". */
  readonly metaFormat?: "default" | "origin";
  /** `log_format` of the plugin. Absent: that of its metadata, else the default record. */
  readonly record?: RecordMaker;
  /** `log_format_extra`: fields added to the default record; they replace fields with equal names. */
  readonly extra?: RecordFields;
  /** `include_req_body`; for which requests, the module decides by calling `Logger.access`. */
  readonly requestBody?: BodySettings;
  /** `include_resp_body`; for which responses, the module decides by calling `Logger.headerFilter`. */
  readonly responseBody?: BodySettings;
  readonly redact: RedactSettings;
  /** `redact.body`; absent: bodies hide only credentials. */
  readonly bodyMasks?: BodyMaskSettings;
  /** Patterns to mask in any body. */
  readonly bodyPatterns?: readonly RegExp[];
  /** Absent: logs every request. */
  readonly sample?: SampleSettings;
  /** Key of the sampling decision; absent: random. */
  readonly sampleKeyOf?: SampleKey;
  /** Adds `record_id` to every JSON record, the same in each delivered copy. */
  readonly recordId: boolean;
  /** Key of the entry, which selects its partition; a byte string. Undefined: partitions in turn. */
  readonly keyOf?: (x: Exchange) => string | undefined;
  /** Sending host of a message. Absent: the name of the machine. */
  readonly hostnameOf?: (x: Exchange) => string | undefined;
}

/** Endpoint and limits of a stream of messages: syslog, or lines of JSON. */
export interface StreamDestination {
  readonly host: string;
  readonly port: number;
  readonly sockType: "tcp" | "udp";
  /** TLS with verification of the server's certificate; never with udp. */
  readonly tls: boolean;
  /** "newline": each message ends in LF. "octet_counting": RFC 6587 section 3.4.1. Udp: one message a datagram. */
  readonly framing: "newline" | "octet_counting";
  /** Timeout in ms for connecting and for each send. */
  readonly timeoutMs: number;
  /** Size of the send buffer in bytes at which it is written. */
  readonly flushLimit: number;
  /** Size of the send buffer in bytes above which messages are dropped. */
  readonly dropLimit: number;
  /** Maximum idle tcp connections. */
  readonly poolSize: number;
  /** Certificates (PEM) of authorities that replace the system's; with tls. */
  readonly ca?: string;
  /** Client certificate chain (PEM), and its private key as a reference for `ResourceContext.secret`; with tls. */
  readonly cert?: string;
  readonly key?: string;
  /** Server name to ask for and to verify, instead of `host`; with tls. */
  readonly serverName?: string;
  /** Maximum bytes of a datagram, with udp; longer messages are cut or refused. Default and maximum: 65,507. */
  readonly maxDatagram?: number;
  /** For `delivery: durable`: a batch counts as delivered once the server has read it (ConfirmedDelivery). */
  readonly confirm?: boolean;
}

export interface BrokerAddress {
  readonly host: string;
  readonly port: number;
}

interface SaslSettings {
  readonly mechanism: "PLAIN" | "SCRAM-SHA-256" | "SCRAM-SHA-512";
  readonly user: string;
  /** Reference for `ResourceContext.secret`. */
  readonly password: string;
}

/** Brokers of a cluster, and how records are produced. */
export interface BrokerDestination {
  readonly brokers: readonly BrokerAddress[];
  /** Credentials for all brokers of the cluster. */
  readonly sasl?: SaslSettings;
  /** Absent: no TLS. */
  readonly tls?: {
    /** false: accepts any certificate. */
    readonly verify: boolean;
    /** Authorities (PEM) that replace the system's. */
    readonly ca?: string;
    /** Client certificate chain (PEM). */
    readonly cert?: string;
    /** Reference of its private key for `ResourceContext.secret`. */
    readonly key?: string;
  };
  readonly topic: string;
  /** Client library; makes no difference to the delivered messages. */
  readonly client: "kafkajs" | "platformatic";
  readonly producerType: "async" | "sync";
  /** 1: acknowledged by the leader; -1: by all in-sync replicas. */
  readonly requiredAcks: 1 | -1;
  /** Timeout in ms of a produce request. */
  readonly timeoutMs: number;
  /** Number of the cluster in the configuration; one part of the identity, never all of it. */
  readonly clusterName: number;
  /** Maximum messages of a produce request. */
  readonly batchNum: number;
  /** Maximum bytes of messages in a produce request; 0: one message each. */
  readonly batchSize: number;
  /** Maximum messages that the producer buffers. */
  readonly maxBuffering: number;
  /** Maximum time in ms that a message stays in the buffer. */
  readonly lingerMs: number;
  readonly metadataRefreshMs: number;
  readonly compression: "none" | "gzip" | "snappy" | "zstd";
}

interface CounterTerms {
  readonly metric: string;
  readonly help: string;
}

/** Names of a stream in errors, log lines and metrics: operators look for the words of their plugin. */
export interface StreamTerms {
  /** "syslog server". */
  readonly server: string;
  /** "syslog": in front of "connection failed" and "message truncated". */
  readonly name: string;
  /** Counts connections that failed after a batch; absent: no counter. */
  readonly failed?: CounterTerms;
  /** Counts messages cut at the length of a datagram. Absent: they are never sent, because a part is useless. */
  readonly truncated?: CounterTerms;
}
