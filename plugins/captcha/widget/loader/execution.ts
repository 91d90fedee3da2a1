import type { WidgetError } from "../../service/protocol.js";
import type { Language } from "../shared/language.js";
import type { ExecutionFault } from "../shared/messages.js";
import { faultText } from "./texts.js";

export const isRetryable = (code: ExecutionFault["code"]): boolean =>
  code === "network_error" || code === "cancelled";

export const executionFault = <Code extends WidgetError | "cancelled" | "invalid_widget">(
  code: Code,
  language: Language,
) => ({
  code,
  message: faultText(code, language),
  retryable: isRetryable(code),
});

/** One call of `execute`, or several at once that wait for the same token. */
export class Execution {
  #resolve: (token: string) => void = () => {};
  #reject: (fault: Error) => void = () => {};
  readonly #token = new Promise<string>((resolve, reject) => {
    this.#resolve = resolve;
    this.#reject = reject;
  });

  get result(): Promise<string> {
    return this.#token;
  }

  /** @param outcome only the first counts */
  end(outcome: string | ExecutionFault): Promise<string> {
    if (typeof outcome === "string") this.#resolve(outcome);
    else {
      const { code, message, retryable } = outcome;
      this.#reject(Object.assign(new Error(message), { code, retryable }));
    }
    return this.#token;
  }
}
