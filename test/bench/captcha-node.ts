/** One process of a captcha with several: verifies, and issues tokens when it is told to. Started with fork, told over its channel. */
import type { CaptchaConfiguration, CaptchaSettings } from "../../plugins/captcha/service/contract.js";
import { captchaLimits } from "../support/captcha-limits.js";
import { again } from "../support/retry-storage.js";
import { CaptchaHarness, type HarnessKeys } from "../support/verify-harness.js";

export interface NodeOrder {
  store: CaptchaSettings["store"];
  secrets: CaptchaConfiguration["secrets"];
  keys: HarnessKeys;
}
export type ToNode = { start: NodeOrder } | { issue: number };
export type FromNode = { port: number } | { tokens: string[] };
/** Asks for the refusals since they were last asked for. */
export interface AskRefusals {
  refusals: true;
}

/** A claim that the store has refused, in its words, and the code of its cause: the system's errors have names, lmdb-js's numbers. */
export interface Refusal {
  message: string;
  code: unknown;
}

const clock = { now: () => Date.now(), monotonic: () => performance.now() };
let harness: CaptchaHarness | undefined;
/** Since they were last asked for. */
let refusals: Refusal[] = [];

function keepRefusals({ claims }: CaptchaHarness["stores"]): void {
  const claim = claims.claim.bind(claims);
  claims.claim = (...of) =>
    claim(...of).catch((error: Error & { cause?: { code?: unknown } }) => {
      refusals.push({ message: error.message, code: error.cause?.code });
      throw error;
    });
}

async function told(message: ToNode | AskRefusals): Promise<FromNode | { refusals: Refusal[] }> {
  if ("start" in message) {
    const { store, secrets, keys } = message.start;
    const limits = captchaLimits({ sessions: 1_000, claims: 5_000_000, sessionsSoft: 20, sessionsHard: 60 });
    harness = await CaptchaHarness.start({ clock, secrets, keys, settings: { store, limits } });
    const { states } = harness.stores;
    keepRefusals(harness.stores);
    // A Redis may need longer than the service waits for it at its start.
    await again(() => states.get("usable"));
    return { port: harness.port };
  }
  if ("refusals" in message) {
    const kept = refusals;
    refusals = [];
    return { refusals: kept };
  }
  const tokens: string[] = [];
  for (let i = 0; i < message.issue; i++) tokens.push((await harness?.issue({}, 600_000)) ?? "");
  return { tokens };
}

process.on("message", (message: ToNode | AskRefusals) => {
  void told(message).then((answer) => process.send?.(answer));
});
process.on("disconnect", () => process.exit(0));
