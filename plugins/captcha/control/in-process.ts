import "../../runtime.js";
import type { ServiceHere } from "../../../runtime/process/contribution.js";
import type { ListenAddress } from "../../../runtime/process/launch-plan.js";
import { log } from "../../../runtime/process/log.js";
import { StartError } from "../../../runtime/process/start-error.js";
import { startCaptcha } from "../service/captcha.js";
import { Conversation } from "../service/link.js";
import type { CaptchaLink } from "./link.js";

/** Milliseconds for opening the store and listening. */
const START_MS = 10_000;

/**
 * Joins a captcha that lives in control's own process (`workers: 0`).
 * @throws StartError when it cannot start
 */
export async function captchaHere(link: CaptchaLink, listener: ListenAddress): Promise<ServiceHere> {
  const conversation = new Conversation((configuration) =>
    startCaptcha(configuration, { listener, report: log }),
  );
  const attached = link.attach({
    // A turn of the event loop between the two, as a socket would have.
    send: (message) => setImmediate(() => void conversation.hear(message, attached.hear)),
  });
  attached.hear(conversation.hello());
  await link.whenTold(START_MS);
  const { running } = conversation;
  if (!running) throw new StartError(`the captcha does not start: ${link.summary.reason ?? ""}`);
  return { address: running.address, close: (deadlineMs) => conversation.close(deadlineMs) };
}
