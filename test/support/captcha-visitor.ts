import { createHash } from "node:crypto";
import { derivedKeys } from "../../plugins/captcha/control/keys.js";
import type { PowChallenge, ScoreAnswer, SessionAnswer } from "../../plugins/captcha/service/protocol.js";
import { runAsBrowser } from "./captcha-run-program.js";

/** Headers of a browser, and the telemetry of a person with a mouse. */
const HEADERS = {
  "Content-Type": "application/json",
  "User-Agent":
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
  "Accept-Language": "ru",
  "Sec-Fetch-Site": "same-origin",
  "Sec-Fetch-Mode": "cors",
  "Sec-Fetch-Dest": "empty",
};
const TELEMETRY = {
  v: 1,
  marks: [],
  contradictions: [],
  activation: {
    ...{ kind: "mouse", trusted: true, samples: 24, path_ratio: 1.2, speed_variation: 0.8, turns: 4 },
    ...{ pause_ms: 120, press_ms: 90, off_centre: 6, radius: 0 },
  },
  ...{ load_to_tick_ms: 2400, hidden_at_tick: false, focused: true, visible: true },
};

export interface VisitOptions {
  /** Configured {captcha_url}, if the service has another address. */
  publicUrl?: string;
  page?: string;
  headers?: Record<string, string>;
  /**
   * `captcha.secret` of the service, for keys that require a browser: the answers to its program derive from
   * it.
   */
  secret?: string;
}

/**
 * Does the work of the widget's frames up to the tick, without a browser. The result is a token if no task is
 * required.
 */
export async function tick(
  url: string,
  siteKey: string,
  { publicUrl = url, page = "http://localhost", headers: more = {}, secret }: VisitOptions = {},
): Promise<ScoreAnswer> {
  const call = async <Answer>(path: string, body: object): Promise<Answer> => {
    const headers = { ...HEADERS, Origin: publicUrl, ...more };
    const answer = await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Answer;
  };
  const { session, pow } = await call<SessionAnswer>("/api/v1/session", { site_key: siteKey, origin: page });
  const work = { id: pow.id, answers: solved(pow), ms: 300 };
  const owner = { session, site_key: siteKey, hostname: new URL(page).hostname, run: 1 };
  const program =
    secret === undefined
      ? undefined
      : runAsBrowser({ secret: derivedKeys(secret).program, telemetry: TELEMETRY, ms: 1, ...owner });
  return call<ScoreAnswer>("/api/v1/score", { session, pow: work, telemetry: TELEMETRY, program });
}

/**
 * Token of a site key that requires no task. With the service's secret, also of a key that requires a
 * browser.
 */
export async function tokenFrom(url: string, siteKey: string, options?: VisitOptions): Promise<string> {
  const answer = await tick(url, siteKey, options);
  if (answer.outcome !== "token") throw new Error("a task was asked for");
  return answer.token;
}

/** Answers of the proof of work (captcha reference 4.6), all distinct. */
function solved({ salt, bits, n }: PowChallenge): number[] {
  const used = new Set<number>();
  return Array.from({ length: n }, (_, index) => {
    for (let x = 0; ; x++) {
      if (used.has(x)) continue;
      const input = Buffer.alloc(21);
      input.write(salt, "hex");
      input.writeUInt8(index, 16);
      input.writeUInt32BE(x, 17);
      if (Math.clz32(createHash("sha256").update(input).digest().readUInt32BE()) < bits) continue;
      used.add(x);
      return x;
    }
  });
}
