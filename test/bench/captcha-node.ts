/** One process of a captcha with several: verifies, and issues tokens when it is told to. Started with fork, told over its channel. */
import type { CaptchaConfiguration, CaptchaSettings } from "../../plugins/captcha/service/contract.js";
import { again } from "../support/again.js";
import { captchaLimits } from "../support/captcha-limits.js";
import { CaptchaStand, type StandKeys } from "../support/verify-stand.js";

export interface NodeOrder {
  store: CaptchaSettings["store"];
  secrets: CaptchaConfiguration["secrets"];
  keys: StandKeys;
}
export type ToNode = { start: NodeOrder } | { issue: number };
export type FromNode = { port: number } | { tokens: string[] };

const clock = { now: () => Date.now(), monotonic: () => performance.now() };
let stand: CaptchaStand | undefined;

async function told(message: ToNode): Promise<FromNode> {
  if ("start" in message) {
    const { store, secrets, keys } = message.start;
    const limits = captchaLimits({ sessions: 1_000, claims: 5_000_000, sessionsSoft: 20, sessionsHard: 60 });
    stand = await CaptchaStand.start({ clock, secrets, keys, settings: { store, limits } });
    const { states } = stand.stores;
    // A Redis may need longer than the service waits for it at its start.
    await again(() => states.get("usable"));
    return { port: stand.port };
  }
  const tokens: string[] = [];
  for (let i = 0; i < message.issue; i++) tokens.push((await stand?.issue({}, 600_000)) ?? "");
  return { tokens };
}

process.on("message", (message: ToNode) => {
  void told(message).then((answer) => process.send?.(answer));
});
process.on("disconnect", () => process.exit(0));
