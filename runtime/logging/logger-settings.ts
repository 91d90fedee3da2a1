/**
 * What a logger is made of: what a generated module gives `syslog({…})` or `brokerLogger({…})`, with the defaults filled in.
 * Plain data, but for the functions that the compiler made out of the configuration.
 */

import type { BatchSettings } from "../abi/delivery.js";
import type { Exchange, RecordFields, RecordMaker } from "../abi/exchange.js";
import type { BodyMaskSettings } from "./body-masks.js";
import type { SampleKey, SampleSettings } from "./sampler.js";

/** Bounds of a spool (`delivery: durable`). */
export interface SpoolSettings {
  /** Bytes that the segments of one destination may take on disk, of all workers together. */
  readonly maxBytes: number;
  /** A spool that is full: "refuse" keeps what it has and takes nothing new, "drop_oldest" removes its oldest segment. */
  readonly onFull: "refuse" | "drop_oldest";
}

/** How much of a body a record may hold. */
export interface BodySettings {
  /** First bytes of the body, in its coding and once decoded; what is longer is cut and marked. */
  readonly maxBytes: number;
}

/** What is masked: headers and queries of default records and of the origin format, queries in formats. Names in lower case. */
export interface RedactSettings {
  /** false: what the configuration's plugins take credentials from is not masked. */
  readonly credentials?: boolean;
  readonly headers: readonly string[];
  readonly query: readonly string[];
}

export interface LoggerSettings<Settings> {
  /**
   * sha256, hex, of kind, destination, versions of its credentials, batch, delivery and spool; of no format, redaction or
   * route. Loggers with one key share one batch and one connection.
   */
  readonly key: string;
  /** Identity of the destination without credentials: its spool keeps it when credentials rotate (`Destination.id`). */
  readonly destinationId: string;
  /** Settings of the sink (`Destination.settings`); secrets are references that `ResourceContext.secret` resolves. */
  readonly destination: Settings;
  /** `maxPendingEntries` is the default; `max_pending_entries` of the plugin's metadata takes its place. */
  readonly batch: BatchSettings;
  readonly delivery: "memory" | "durable";
  /** "response": the last byte of the response waits for the spool. Only with `delivery: durable`. */
  readonly ack: "log" | "response";
  /** Only with `delivery: durable`. */
  readonly spool?: SpoolSettings;
  /** "origin": the message is the text of the request as received; no record is made. Default "default". */
  readonly metaFormat?: "default" | "origin";
  /** The plugin's own `log_format`. Absent: that of its metadata, else the default record. */
  readonly record?: RecordMaker;
  /** `log_format_extra`: fields added to the default record; where the names are equal they take the place of its own. */
  readonly extra?: RecordFields;
  /** `include_req_body`; whether it holds for a request, the module decides by calling `Logger.access`. */
  readonly requestBody?: BodySettings;
  /** `include_resp_body`; whether it holds for a response, the module decides by calling `Logger.headerFilter`. */
  readonly responseBody?: BodySettings;
  readonly redact: RedactSettings;
  /** `redact.body`; absent: bodies hide credentials alone. */
  readonly bodyMasks?: BodyMaskSettings;
  /** What is masked in any body. */
  readonly bodyPatterns?: readonly RegExp[];
  /** Absent: every request is logged. */
  readonly sample?: SampleSettings;
  /** Text that decides about the sample; absent: chance does. */
  readonly sampleKeyOf?: SampleKey;
  /** Every JSON record gets a field `record_id`, the same for each copy of it that is delivered. */
  readonly recordId: boolean;
  /** Key of the entry, which decides about its partition; a byte string. Undefined: partitions take turns. */
  readonly keyOf?: (x: Exchange) => string | undefined;
  /** Host that a message says it comes from. Absent: the machine's. */
  readonly hostnameOf?: (x: Exchange) => string | undefined;
}

/** Where and how messages go, one after the other: syslog, or lines of JSON. */
export interface StreamDestination {
  /** Name or address. */
  readonly host: string;
  readonly port: number;
  readonly sockType: "tcp" | "udp";
  /** TLS with verification of the server's certificate; never with udp. */
  readonly tls: boolean;
  /** "newline": each message ends in LF. "octet_counting": RFC 6587 section 3.4.1. On udp one message is one datagram. */
  readonly framing: "newline" | "octet_counting";
  /** Milliseconds for connecting and for each send. */
  readonly timeoutMs: number;
  /** Bytes of the send buffer at which it is written at once. */
  readonly flushLimit: number;
  /** Bytes of the send buffer above which messages are dropped. */
  readonly dropLimit: number;
  /** Idle tcp connections kept. */
  readonly poolSize: number;
  /** With tls: certificates (PEM) of the authorities that are trusted in place of the system's. */
  readonly ca?: string;
  /** With tls: the client's certificate chain (PEM), and the reference of its private key for `ResourceContext.secret`. */
  readonly cert?: string;
  readonly key?: string;
  /** With tls: name that the server is asked for and its certificate must have, in place of `host`. */
  readonly serverName?: string;
  /** With udp: bytes of a datagram; longer messages are cut or refused. Default and most: 65,507. */
  readonly maxDatagram?: number;
}

export interface BrokerAddress {
  readonly host: string;
  readonly port: number;
}

export interface SaslSettings {
  readonly mechanism: "PLAIN" | "SCRAM-SHA-256" | "SCRAM-SHA-512";
  readonly user: string;
  /** Reference for `ResourceContext.secret`. */
  readonly password: string;
}

/** Where and how records go to a cluster of brokers. */
export interface BrokerDestination {
  readonly brokers: readonly BrokerAddress[];
  /** The same for all brokers of the cluster. */
  readonly sasl?: SaslSettings;
  /** Absent: no TLS. */
  readonly tls?: {
    /** false: any certificate is accepted. */
    readonly verify: boolean;
    /** Authorities (PEM) trusted in place of the system's. */
    readonly ca?: string;
    /** Chain (PEM) that brokers are shown. */
    readonly cert?: string;
    /** Its private key; reference for `ResourceContext.secret`. */
    readonly key?: string;
  };
  readonly topic: string;
  /** Library that speaks to the brokers; it makes no difference to what arrives. */
  readonly client: "kafkajs" | "platformatic";
  readonly producerType: "async" | "sync";
  /** 1: the leader has it; -1: all replicas in sync have it. */
  readonly requiredAcks: 1 | -1;
  /** Milliseconds for one produce request. */
  readonly timeoutMs: number;
  /** Number that the configuration gives the cluster; part of the identity, never the whole of it. */
  readonly clusterName: number;
  /** Messages in one produce request at most. */
  readonly batchNum: number;
  /** Bytes of messages in one produce request at most; 0: one message each. */
  readonly batchSize: number;
  /** Messages that the producer holds at most. */
  readonly maxBuffering: number;
  /** Milliseconds after which buffered messages leave at the latest. */
  readonly lingerMs: number;
  readonly metadataRefreshMs: number;
  readonly compression: "none" | "gzip" | "snappy" | "zstd";
}
