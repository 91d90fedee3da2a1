import { failureOfAnswer } from "./answers.js";
import type { ProduceFailure } from "./client.js";

/** Ends a send as soon as the partitions of its topic are known. */
export class ProbedError extends Error {
  override readonly name = "Probed";

  /** kafkajs wraps this error. */
  static in(error: unknown): boolean {
    return chain(error).some((one) => one instanceof ProbedError);
  }
}

/** Unknown errors are retried, which loses nothing. */
export function failureOf(error: unknown): ProduceFailure {
  for (const one of chain(error)) {
    const { name, type } = one as { name?: unknown; type?: unknown };
    if (name === "KafkaJSSASLAuthenticationError") return "settings";
    const failure = failureOfAnswer(type);
    if (failure !== undefined) return failure;
  }
  return "retry";
}

export function timedOut(error: unknown): boolean {
  return chain(error).some((one) => (one as { name?: unknown }).name === "KafkaJSRequestTimeoutError");
}

function chain(error: unknown): object[] {
  const found: object[] = [];
  for (let one = error; typeof one === "object" && one !== null && !found.includes(one); ) {
    found.push(one);
    one = (one as { cause?: unknown }).cause;
  }
  return found;
}
