import { startCaptcha } from "../../../plugins/captcha/service/captcha.js";
import { Conversation } from "../../../plugins/captcha/service/link.js";
import type { ListenAddress } from "../../process/launch-plan.js";
import { log } from "../../process/log.js";
import { StartError } from "../start-error.js";
import type { CaptchaLink } from "./link.js";

/** A captcha inside the calling process. */
export interface CaptchaHere {
  address: { host: string; port: number };
  close(deadlineMs: number): Promise<void>;
}

/** Milliseconds for opening the store and listening. */
const START_MS = 10_000;

/**
 * Joins a captcha that lives in control's own process (`workers: 0`).
 * @throws StartError when it cannot start
 */
export async function captchaHere(link: CaptchaLink, listener: ListenAddress): Promise<CaptchaHere> {
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
