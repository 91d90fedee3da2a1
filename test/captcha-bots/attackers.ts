import { randomBytes } from "node:crypto";
import { digestOf } from "../../plugins/captcha/service/program/digest.js";
import type { ProgramAnswer, ProgramShown } from "../../plugins/captcha/service/protocol.js";
import { launchBrowser, WITHOUT_BROWSER } from "../support/browser.js";
import { interpreterScript } from "../support/captcha-interpreter.js";
import { runAsBrowser } from "../support/captcha-run-program.js";
import { inHappyDom, inJsdom, type RunProgram } from "./emulations.js";
import { browserCpu } from "./loot.js";

/** Somebody who talks to the service without a visitor: forged headers, forged telemetry, and this for the program. */
export interface Attacker {
  name: string;
  /** Whether a real browser is behind it. */
  browser: boolean;
  /** Undefined: no answer at all. */
  answer(program: ProgramShown, telemetry: unknown): Promise<ProgramAnswer | undefined>;
  /** Seconds of processor time of other processes that work for it. */
  otherCpu(): Promise<number>;
  close(): Promise<void>;
}

/** A tick at once is asked for no sample but its own. */
const AT_ONCE: ProgramAnswer["samples"] = [[1, 0]];

const alone = (name: string, answer: Attacker["answer"]): Attacker => ({
  ...{ name, answer, browser: false },
  otherCpu: async () => 0,
  close: async () => {},
});

const emulation = (name: string, run: RunProgram): Attacker =>
  alone(name, async (program, telemetry) => run(program, AT_ONCE, telemetry));

/** What a browser answered once, rightly, in another session. */
const recordedRun = (telemetry: unknown): ProgramAnswer =>
  runAsBrowser({
    ...{ secret: randomBytes(32), session: "recorded", site_key: "recorded", hostname: "localhost", run: 1 },
    ...{ telemetry, ms: 1 },
  });

/** A browser that only computes answers: nothing of the widget, of a page, of a visitor. The control of the others, too. */
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

/** All of them; those that need Chromium only where it is. */
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
