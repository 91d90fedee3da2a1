import type { Browser } from "playwright-core";

/** Result of a raid. */
export interface Loot {
  sessions: number;
  tokens: number;
  tasks: number;
  refused: number;
  seconds: number;
  /** CPU seconds of the attacker, without the service. */
  cpuSeconds: number;
}

/** Outcome of a session. */
export type Outcome = "tokens" | "tasks" | "refused";

/**
 * A network for each session, so that only the session decides. @param block second byte of the first network
 */
export const networkOf = (n: number, block = 64): string => `100.${block + (n >> 8)}.${n & 255}.7`;

/** @returns a function for the CPU seconds of a browser, all its processes together */
export async function browserCpu(browser: Browser): Promise<() => Promise<number>> {
  const session = await browser.newBrowserCDPSession();
  return async () => {
    const { processInfo } = await session.send("SystemInfo.getProcessInfo");
    return processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0);
  };
}

/**
 * Runs sessions one after another and counts outcomes and costs. @param otherCpu seconds of other processes
 */
export async function looted(
  sessions: number,
  otherCpu: () => Promise<number>,
  begin: (n: number) => Promise<Outcome>,
): Promise<Loot> {
  const loot: Loot = { sessions, tokens: 0, tasks: 0, refused: 0, seconds: 0, cpuSeconds: 0 };
  const [own, other, start] = [process.cpuUsage(), await otherCpu(), performance.now()];
  for (let n = 0; n < sessions; n++) loot[await begin(n)]++;
  const { user, system } = process.cpuUsage(own);
  loot.seconds = (performance.now() - start) / 1_000;
  loot.cpuSeconds = (user + system) / 1e6 + (await otherCpu()) - other;
  return loot;
}
