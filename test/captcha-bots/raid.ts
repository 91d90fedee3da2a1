import type { ScoreAnswer, SessionAnswer } from "../../plugins/captcha/service/protocol.js";
import { solve } from "../../plugins/captcha/widget/pow/solve.js";
import { telemetry } from "../support/captcha-samples.js";
import type { Attacker } from "./attackers.js";
import { type Loot, looted, networkOf } from "./loot.js";

export interface Target {
  url: string;
  siteKey: string;
}

/** Sessions without a visitor: does the work of each and ticks. */
export const raid = (target: Target, attacker: Attacker, sessions: number): Promise<Loot> =>
  looted(sessions, attacker.otherCpu, async (n) => {
    const answer = await attack(target, attacker, n);
    if (answer === undefined) return "refused";
    return answer.outcome === "token" ? "tokens" : "tasks";
  });

async function attack(target: Target, attacker: Attacker, n: number): Promise<ScoreAnswer | undefined> {
  const begun = await post<SessionAnswer>(target, n, "/session", {
    site_key: target.siteKey,
    origin: "http://localhost",
  });
  if (begun === undefined) return undefined;
  const { session, pow, program: given } = begun;
  const seen = telemetry();
  const program = await attacker.answer(given, seen);
  const work = { id: pow.id, answers: solve(pow), ms: 300 };
  return post<ScoreAnswer>(target, n, "/score", { session, pow: work, telemetry: seen, program });
}

/** @returns undefined if the service rejects the request */
async function post<Answer>(
  { url }: Target,
  n: number,
  path: string,
  body: object,
): Promise<Answer | undefined> {
  const response = await fetch(`${url}/api/v1${path}`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Origin: url,
      "X-Forwarded-For": networkOf(n),
      "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
      "Accept-Language": "ru,en;q=0.7",
      "Sec-Fetch-Site": "same-origin",
      "Sec-Fetch-Mode": "cors",
      "Sec-Fetch-Dest": "empty",
    },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as Answer;
  return response.ok ? answer : undefined;
}
