import { SendError, type Sink } from "../abi/delivery.js";
import type { ResourceContext } from "../abi/resource.js";

/**
 * The sink of a destination whose secrets are not known. A gateway that starts from the last good generation may not know them yet. It
 * serves all the same; a write that brings them opens another sink.
 * @param reason which is not known, without any value
 */
export function unopenedSink(reason: string, context: ResourceContext): Sink {
  context.report("secret_not_known", { reason });
  return {
    send: () => Promise.reject(new SendError(reason)),
    close: () => Promise.resolve(),
  };
}
