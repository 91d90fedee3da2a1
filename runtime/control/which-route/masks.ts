import type { WhichRouteRequest } from "../../../compiler/which-route/request.js";
import type { RequestResult } from "../../../compiler/which-route/which-route-report.js";
import type { Credentials } from "../../abi/log.js";
import { CredentialMasks } from "../../logging/credential-masks.js";

export class Masks {
  readonly #masks: CredentialMasks;

  constructor(credentials: Credentials, { headers, target }: Pick<WhichRouteRequest, "headers" | "target">) {
    const fields = headers.map((line): [string, string] => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    });
    this.#masks = new CredentialMasks(credentials, { headers: fields, target });
  }

  hidden<T>(value: T): T {
    return this.#masks.hidden(value);
  }

  of(tried: RequestResult): RequestResult {
    const masks = this.#masks;
    const { request, upstream_request: sent, response } = tried;
    const fields = <T extends { headers: [string, string][] }>(message: T): T => ({
      ...message,
      headers: masks.fields(message.headers),
    });
    return masks.hidden({
      ...tried,
      request: { ...request, url: masks.target(request.url), target: masks.target(request.target) },
      upstream_request: sent && { ...fields(sent), target: masks.target(sent.target) },
      response: response && fields(response),
    });
  }
}
