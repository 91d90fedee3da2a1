import type { Verification } from "../../oracle/state.js";
import { CaptchaVerifier, failed, verified } from "../../support/captcha-verifier.js";
import type { ConformanceCase } from "./case.js";

/** A captcha service that says of each token what the case says. */
export class CaseCaptcha {
  readonly #verifier = new CaptchaVerifier();

  async start(): Promise<this> {
    await this.#verifier.start();
    return this;
  }

  get port(): number {
    return this.#verifier.port;
  }

  /** From now on it speaks for this case; undefined for one without a captcha. */
  speakFor({ verification = {} }: ConformanceCase): void {
    this.#verifier.calls.length = 0;
    this.#verifier.script = ({ path, query }) => {
      const said = verification[query["jwt"] ?? ""];
      if (said === undefined) return failed("invalid_jwt");
      if (said.failure !== undefined) return said.failure;
      if (said.error !== undefined) return failed(said.error, said.status);
      return verified(path.split("/").at(-2) ?? "", "req_1", said.status);
    };
  }

  /** What it was asked since; undefined for a case that does not speak of it. */
  asked({ verification }: ConformanceCase): Verification[] | undefined {
    if (verification === undefined) return undefined;
    return this.#verifier.calls.map(({ path, query }) => ({
      site_key: path.split("/").at(-2) ?? "",
      jwt: query["jwt"] ?? "",
      ...(query["ip"] !== undefined && { ip: query["ip"] }),
    }));
  }

  stop(): Promise<void> {
    return this.#verifier.stop();
  }
}
