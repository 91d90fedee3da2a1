import { CaptchaApi, siteKey, solve } from "./captcha-api.js";
import { captchaLimits, DEFAULT_PRICES } from "./captcha-limits.js";

const HOUR_MS = 3_600_000;

export interface Hour {
  tokens: number;
  tasks: number;
  refused: number;
}

/**
 * Simulates one hour of a program without a browser. It starts sessions at an even rate from one network,
 * does the work and ticks. The limits are the defaults. The test advances the service's clock, so that an
 * hour takes seconds.
 * @param seen returns the telemetry that the program claims
 * @param browser a real browser computes the answers of the session programs
 */
export async function programHour(perMinute: number, seen: () => object, browser = false): Promise<Hour> {
  const api = await CaptchaApi.open({
    direct: true,
    siteKeys: [siteKey({ powBits: 1 })],
    settings: {
      limits: captchaLimits({ sessions: 100_000, sessionsSoft: 30, sessionsHard: 300 }),
      price: DEFAULT_PRICES,
    },
  });
  const found: Hour = { tokens: 0, tasks: 0, refused: 0 };
  const pause = 60_000 / perMinute;
  for (let at = 0; at < HOUR_MS; at += pause) {
    const visitor = api.visitor();
    const begun = await visitor.begin();
    if (begun.status === 200 && visitor.pow !== undefined) {
      const pow = solve(visitor.pow);
      const said = browser ? visitor.seen(seen()) : { telemetry: seen() };
      const { body } = await visitor.call("/score", { session: visitor.session, pow, ...said });
      if (body["outcome"] === "token") found.tokens++;
      else if (body["outcome"] === "task") found.tasks++;
      else found.refused++;
    } else found.refused++;
    api.clock.advance(pause);
  }
  await api.close();
  return found;
}
