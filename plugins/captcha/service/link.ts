import { messageOf } from "../../../runtime/abi/plugin-api.js";
import type { RunningCaptcha } from "./captcha.js";
import type { CaptchaConfiguration } from "./contract.js";
import type { Answers, FromCaptcha, Question, ToCaptcha } from "./messages.js";

type Send = (message: FromCaptcha) => void;

/**
 * The captcha's side of the connection to control. The first configuration starts the service, later ones
 * change it. Messages are handled in sequence, so that changes keep their order.
 */
export class Conversation {
  running: RunningCaptcha | undefined;
  readonly #start: (configuration: CaptchaConfiguration) => Promise<RunningCaptcha>;
  #last: Promise<void> = Promise.resolve();
  #closed = false;

  /** @param start rejects with a sentence for the operator, without secrets */
  constructor(start: (configuration: CaptchaConfiguration) => Promise<RunningCaptcha>) {
    this.#start = start;
  }

  hello(): FromCaptcha {
    return { type: "hello", pid: process.pid };
  }

  /** Settles when the message was handled. */
  hear(message: ToCaptcha, send: Send): Promise<void> {
    this.#last = this.#last.then(() => this.#dealWith(message, send));
    return this.#last;
  }

  async close(deadlineMs: number): Promise<void> {
    this.#closed = true;
    await this.#last;
    await this.running?.close(deadlineMs);
  }

  async #dealWith(message: ToCaptcha, send: Send): Promise<void> {
    if (this.#closed) return;
    switch (message.type) {
      case "configuration": {
        const refused = await this.#configure(message.configuration);
        send({ type: "configured", number: message.number, ...(refused !== undefined && { refused }) });
        break;
      }
      case "ask":
        send(await this.#answer(message.number, message.question));
        break;
      case "metrics":
        send({ type: "metrics", number: message.number, families: (await this.running?.metrics()) ?? [] });
        break;
    }
  }

  /** @returns the reason of a failure */
  async #configure(configuration: CaptchaConfiguration): Promise<string | undefined> {
    try {
      if (this.running) this.running.update(configuration);
      else this.running = await this.#start(configuration);
      return undefined;
    } catch (error) {
      return messageOf(error);
    }
  }

  async #answer(number: number, question: Question): Promise<FromCaptcha> {
    const { running } = this;
    if (!running) return { type: "failed", number, reason: "the captcha does not serve yet" };
    try {
      return { type: "answer", number, value: await answerTo(question, running) };
    } catch (error) {
      return { type: "failed", number, reason: messageOf(error) };
    }
  }
}

async function answerTo(question: Question, running: RunningCaptcha): Promise<Answers[Question["about"]]> {
  switch (question.about) {
    case "statistics":
      return { url: running.url, ...running.statistics() };
    case "decision":
      return running.decision(question.requestId) ?? null;
    case "rotation":
      return { kid: await running.rotate() };
  }
}
