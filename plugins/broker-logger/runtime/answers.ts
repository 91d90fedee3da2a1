import type { ProduceFailure } from "./client.js";

/**
 * Answers of brokers that concern the records or the rights, not the moment, by their name in
 * org.apache.kafka.common.protocol.Errors. What is not here is worth another try: nothing is lost by it.
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

/** What an answer means for the records; undefined: it may be another one in a moment. */
export const failureOfAnswer = (name: unknown): ProduceFailure | undefined =>
  typeof name === "string" ? BY_NAME[name] : undefined;
