import type { ProduceFailure } from "./client.js";

/**
 * Names in org.apache.kafka.common.protocol.Errors of errors about the records or the rights. Errors that are
 * not listed are retried, which loses nothing.
 */
const BY_NAME: Readonly<Record<string, ProduceFailure>> = {
  MESSAGE_TOO_LARGE: "large",
  RECORD_LIST_TOO_LARGE: "large",
  INVALID_RECORD: "record",
  INVALID_TIMESTAMP: "record",
  TOPIC_AUTHORIZATION_FAILED: "settings",
  CLUSTER_AUTHORIZATION_FAILED: "settings",
  INVALID_TOPIC_EXCEPTION: "settings",
  INVALID_REQUIRED_ACKS: "settings",
  SASL_AUTHENTICATION_FAILED: "settings",
  UNSUPPORTED_SASL_MECHANISM: "settings",
  UNSUPPORTED_COMPRESSION_TYPE: "settings",
};

/** Undefined if a retry may succeed. */
export const failureOfAnswer = (name: unknown): ProduceFailure | undefined =>
  typeof name === "string" ? BY_NAME[name] : undefined;
