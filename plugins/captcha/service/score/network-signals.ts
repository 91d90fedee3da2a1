import type { CaptchaSettings, ClientAddress, Rates } from "../contract.js";
import { blockList } from "../http/address.js";
import type { SignalCode } from "./model.js";

/** Minimum of a network in ten minutes that counts. */
const FAILED_TASKS = 3;
/** Ten minutes, in multiples of the soft limit of one minute: a burst is a classroom, this is a program. */
const SUSTAINED = 4;

/** 1 above the soft limit, 2 if that lasts or the hard limit is reached. */
export type Pressure = 0 | 1 | 2;

/** Key under which `Rates` counts a network's events at all site keys together. */
export const ALL_SITE_KEYS = "";

export function pressureOf(rates: Rates, client: ClientAddress, limits: CaptchaSettings["limits"]): Pressure {
  const minute = rates.count("session", client, ALL_SITE_KEYS, 1);
  if (minute <= limits.sessionsSoft) return 0;
  const lasting = rates.count("session", client, ALL_SITE_KEYS, 10) > SUSTAINED * limits.sessionsSoft;
  return lasting || minute > limits.sessionsHard ? 2 : 1;
}

/** Group H (captcha reference section 3.3). */
export function rateEvidence(
  rates: Rates,
  client: ClientAddress,
  limits: CaptchaSettings["limits"],
): SignalCode[] {
  const pressure = pressureOf(rates, client, limits);
  const found: SignalCode[] = [];
  if (pressure === 1) found.push("prefix_rate_soft");
  if (pressure === 2) found.push("prefix_rate_hard");
  if (rates.count("task_failed", client, ALL_SITE_KEYS, 10) >= FAILED_TASKS)
    found.push("prefix_failed_tasks");
  if (rates.count("token_rejected", client, ALL_SITE_KEYS, 60) > 0) found.push("prefix_rejected_tokens");
  return found;
}

/** Group I: networks that the operator listed. Only the configuration changes the list. */
export function hostingEvidence(): (client: ClientAddress, networks: readonly string[]) => SignalCode[] {
  const isListed = blockList();
  return ({ text }, networks) => (isListed(networks, text) ? ["hosting_network"] : []);
}
