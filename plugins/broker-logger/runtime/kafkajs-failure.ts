import type { ProduceFailure } from "./client.js";

/** Ends a send as soon as the partitions of its topic are known. */
export class Probed extends Error {
  override readonly name = "Probed";

  /** Whether kafkajs gave up for this reason: it wraps what it passes on. */
  static in(error: unknown): boolean {
    return chain(error).some((one) => one instanceof Probed);
  }
}

/** Answers of brokers that concern the records, not the moment (org.apache.kafka.common.protocol.Errors). */
const BY_TYPE: Readonly<Record<string, ProduceFailure>> = {
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

/** What an error of kafkajs means for the records. What is not known is worth another try: nothing is lost by it. */
export function failureOf(error: unknown): ProduceFailure {
  for (const one of chain(error)) {
    const { name, type } = one as { name?: unknown; type?: unknown };
    if (name === "KafkaJSSASLAuthenticationError") return "settings";
    if (typeof type === "string" && BY_TYPE[type] !== undefined) return BY_TYPE[type];
  }
  return "retry";
}

/** Whether a broker did not answer in time. */
export function timedOut(error: unknown): boolean {
  return chain(error).some((one) => (one as { name?: unknown }).name === "KafkaJSRequestTimeoutError");
}

/** The error and its causes. */
function chain(error: unknown): object[] {
  const found: object[] = [];
  for (let one = error; typeof one === "object" && one !== null && !found.includes(one); ) {
    found.push(one);
    one = (one as { cause?: unknown }).cause;
  }
  return found;
}
