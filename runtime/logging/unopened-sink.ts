import { SendError, type Sink } from "../abi/delivery.js";
import type { ResourceContext } from "../abi/resource.js";

/**
 * Sink for a destination whose secrets are not known yet, as in a gateway that starts from the last known
 * good generation. A write that brings the secrets opens another sink.
 * @param reason names the unknown secret, without any value
 */
export function unopenedSink(reason: string, context: ResourceContext): Sink {
  context.report("secret_not_known", { reason });
  return {
    send: () => Promise.reject(new SendError(reason)),
    close: () => Promise.resolve(),
  };
}
