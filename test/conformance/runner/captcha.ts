import type { Verification } from "../../oracle/state.js";
import { CaptchaVerifier, failed, verified } from "../../support/captcha-verifier.js";
import type { ConformanceCase } from "./case.js";

/** A captcha service that responds to each token as the case says. */
export class CaseCaptcha {
  readonly #verifier = new CaptchaVerifier();

  async start(): Promise<this> {
    await this.#verifier.start();
    return this;
  }

  get port(): number {
    return this.#verifier.port;
  }

  /** Sets the case whose verdicts are returned from now on. */
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

  /** Returns verifications since `speakFor`. @returns undefined if the case states no verdicts */
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
