import type { logLevel } from "kafkajs";
import type { ResourceContext } from "../../../runtime/abi/plugin-api.js";
import type { ProduceError } from "./client.js";
import type { BrokerSecrets } from "./secrets.js";

/** Time in ms without repetition of an equal message: the client writes one per attempt. */
const QUIET = 30_000;
/** Maximum of different cached messages. */
const REMEMBERED = 100;

interface ClientMessage {
  readonly namespace: string;
  readonly level: logLevel;
  readonly log: { readonly message: string; readonly [field: string]: unknown };
}

/** Warnings for operators, and failures and recoveries of the topic. Secrets are removed. */
export class ClientReports {
  readonly #context: ResourceContext;
  readonly #topic: string;
  readonly #secrets: Pick<BrokerSecrets, "clean">;
  readonly #last = new Map<string, number>();
  #failing = false;

  constructor(context: ResourceContext, topic: string, secrets: Pick<BrokerSecrets, "clean">) {
    this.#context = context;
    this.#topic = topic;
    this.#secrets = secrets;
  }

  /** `logCreator` of kafkajs. */
  readonly log = ({ namespace, log }: ClientMessage): void => {
    // A metadata probe ends with an error of our own.
    if (log.message === "") return;
    const broker = typeof log.broker === "string" ? log.broker : undefined;
    const error = typeof log.error === "string" && log.error !== log.message ? log.error : undefined;
    this.#warn(`${namespace} ${log.message} ${broker}`, log.message, broker, error);
  };

  /** Other brokers may still work. */
  warned(broker: string, message: string): void {
    this.#warn(`${broker} ${message}`, message, broker, undefined);
  }

  #warn(about: string, message: string, broker: string | undefined, error: string | undefined): void {
    const now = Date.now();
    if (now - (this.#last.get(about) ?? Number.NEGATIVE_INFINITY) < QUIET) return;
    if (this.#last.size >= REMEMBERED) this.#last.clear();
    this.#last.set(about, now);
    this.#context.report("broker client", {
      topic: this.#topic,
      message: this.#secrets.clean(message),
      broker,
      error: error === undefined ? undefined : this.#secrets.clean(error),
    });
  }

  /** Reports the first of consecutive failures. Returns the error. */
  failed(error: ProduceError): ProduceError {
    if (!this.#failing && (error.failure === "settings" || error.failure === "retry")) {
      this.#failing = true;
      this.#context.report("brokers accept no records", {
        topic: this.#topic,
        reason: this.#secrets.clean(error.message),
      });
    }
    return error;
  }

  recovered(): void {
    if (!this.#failing) return;
    this.#failing = false;
    this.#context.report("brokers accept records again", { topic: this.#topic });
  }
}
