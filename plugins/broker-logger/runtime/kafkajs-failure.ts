import { failureOfAnswer } from "./answers.js";
import type { ProduceFailure } from "./client.js";

/** Ends a send as soon as the partitions of its topic are known. */
export class ProbedError extends Error {
  override readonly name = "Probed";

  /** Whether kafkajs gave up for this reason: it wraps what it passes on. */
  static in(error: unknown): boolean {
    return chain(error).some((one) => one instanceof ProbedError);
  }
}

/** What an error of kafkajs means for the records. What is not known is worth another try: nothing is lost by it. */
export function failureOf(error: unknown): ProduceFailure {
  for (const one of chain(error)) {
    const { name, type } = one as { name?: unknown; type?: unknown };
    if (name === "KafkaJSSASLAuthenticationError") return "settings";
    const failure = failureOfAnswer(type);
    if (failure !== undefined) return failure;
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
