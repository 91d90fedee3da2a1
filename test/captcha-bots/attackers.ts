import { randomBytes } from "node:crypto";
import { digestOf } from "../../plugins/captcha/service/program/digest.js";
import type { ProgramAnswer, ProgramShown } from "../../plugins/captcha/service/protocol.js";
import { launchBrowser, WITHOUT_BROWSER } from "../support/browser.js";
import { interpreterScript } from "../support/captcha-interpreter.js";
import { runAsBrowser } from "../support/captcha-run-program.js";
import { inHappyDom, inJsdom, type RunProgram } from "./emulations.js";
import { browserCpu } from "./loot.js";

/** An attacker without a visitor: forged headers, forged telemetry, and this program answer. */
export interface Attacker {
  name: string;
  /** Reports whether a real browser is behind it. */
  browser: boolean;
  /** Program answer; undefined: none. */
  answer(program: ProgramShown, telemetry: unknown): Promise<ProgramAnswer | undefined>;
  /** CPU seconds of other processes that work for it. */
  otherCpu(): Promise<number>;
  close(): Promise<void>;
}

/** Samples of a tick at once, which needs only its own. */
const AT_ONCE: ProgramAnswer["samples"] = [[1, 0]];

const alone = (name: string, answer: Attacker["answer"]): Attacker => ({
  ...{ name, answer, browser: false },
  otherCpu: async () => 0,
  close: async () => {},
});

const emulation = (name: string, run: RunProgram): Attacker =>
  alone(name, async (program, telemetry) => run(program, AT_ONCE, telemetry));

/** A right answer of a browser, recorded in another session. */
const recordedRun = (telemetry: unknown): ProgramAnswer =>
  runAsBrowser({
    ...{ secret: randomBytes(32), session: "recorded", site_key: "recorded", hostname: "localhost", run: 1 },
    ...{ telemetry, ms: 1 },
  });

/**
 * A browser that only computes answers, without widget, page or visitor. The control of the other attackers.
 */
async function chromiumAsOracle(): Promise<Attacker> {
  const browser = await launchBrowser();
  const page = await browser.newPage();
  await page.addScriptTag({ content: await interpreterScript() });
  return {
    name: "Chromium computes the answers for a script",
    browser: true,
    answer: (program, telemetry) =>
      page.evaluate(
        `interpreter.runProgram(${JSON.stringify(program)}, ${JSON.stringify(AT_ONCE)}, ${JSON.stringify(telemetry)})`,
      ),
    otherCpu: await browserCpu(browser),
    close: () => browser.close(),
  };
}

/** All attackers; those that need Chromium only if it is installed. */
export async function attackers(): Promise<Attacker[]> {
  let first: ProgramAnswer | undefined;
  return [
    alone("script with forged headers and telemetry", async () => undefined),
    alone("script that replays a recorded run", async (_, telemetry) => {
      first ??= recordedRun(telemetry);
      return first;
    }),
    alone("script that binds a recorded run to the session anew", async ({ key }, telemetry) => {
      const { digest: _, ...answer } = recordedRun(telemetry);
      return { ...answer, digest: digestOf(key, answer, telemetry) };
    }),
    emulation("jsdom", await inJsdom()),
    emulation("happy-dom", await inHappyDom()),
    ...(WITHOUT_BROWSER ? [] : [await chromiumAsOracle()]),
  ];
}
