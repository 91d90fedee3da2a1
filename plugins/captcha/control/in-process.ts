import "../../runtime.js";
import {
  type ListenAddress,
  log,
  type ServiceHere,
  StartError,
} from "../../../runtime/process/contribution-api.js";
import { startCaptcha } from "../service/captcha.js";
import { Conversation } from "../service/link.js";
import type { FromCaptcha, ToCaptcha } from "../service/messages.js";

const START_MS = 10_000;

interface Joined {
  attach(peer: { send(message: ToCaptcha): void }): { hear: (message: FromCaptcha) => void };
  whenTold(ms: number): Promise<void>;
  readonly summary: { reason?: string };
}

/** Captcha in control's own process (`workers: 0`). @throws StartError if it cannot start */
export async function captchaHere(link: Joined, listener: ListenAddress): Promise<ServiceHere> {
  const conversation = new Conversation((configuration) =>
    startCaptcha(configuration, { listener, report: log }),
  );
  const attached = link.attach({
    // Yields the event loop between the two, as a socket would.
    send: (message) => setImmediate(() => void conversation.hear(message, attached.hear)),
  });
  attached.hear(conversation.hello());
  await link.whenTold(START_MS);
  const { running } = conversation;
  if (!running) throw new StartError(`the captcha failed to start: ${link.summary.reason ?? ""}`);
  return { address: running.address, close: (deadlineMs) => conversation.close(deadlineMs) };
}
