import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Program } from "../../../../plugins/captcha/service/program/make.js";
import { programVerdict } from "../../../../plugins/captcha/service/program/verdict.js";
import type { ProgramAnswer, ProgramShown } from "../../../../plugins/captcha/service/protocol.js";
import { launchBrowser, WITHOUT_BROWSER } from "../../../support/browser.js";
import { interpreterScript } from "../../../support/captcha-interpreter.js";
import { launchFirefox, WITHOUT_FIREFOX } from "../../../support/firefox.js";
import { BATCH, differences, programs, type Run } from "./program-runs.js";

/** Size of the checkbox frame. */
const FRAME = { width: 300, height: 74 };

declare const interpreter: {
  runProgram(
    program: Pick<ProgramShown, "code" | "key">,
    samples: [number, number][],
    seen: object,
  ): ProgramAnswer;
};

async function blankFrame(browser: Browser, options: object = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: FRAME, ...options });
  const page = await context.newPage();
  await page.setContent('<!doctype html><input id="box" type="checkbox" autofocus>');
  await page.addScriptTag({ content: await interpreterScript() });
  await page.focus("#box");
  return page;
}

function run(page: Page, some: readonly Program[]): Promise<Run[]> {
  const given = some.map(({ code, key }) => ({ code: code().toString("base64"), key }));
  return page.evaluate(
    (list) =>
      list.map((program): Run => {
        // Types of the page are not those of the test.
        const { document, performance } = globalThis as unknown as {
          document: { body: { innerHTML: string }; activeElement: { id: string } };
          performance: { now(): number };
        };
        const start = performance.now();
        const answer = interpreter.runProgram(program, [[1, 0]], {});
        const ms = performance.now() - start;
        return { answer, ms, left: `${document.body.innerHTML.trim()} ${document.activeElement.id}` };
      }),
    given,
  );
}

const ENGINES = [
  { name: "Chromium", launch: () => launchBrowser(), without: WITHOUT_BROWSER },
  { name: "Firefox ESR", launch: launchFirefox, without: WITHOUT_FIREFOX },
];

for (const { name, launch, without } of ENGINES) {
  describe.skipIf(without)(`the program in ${name}`, () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await launch();
    });
    afterAll(() => browser?.close());

    it("[B2] every row of every seed has the result of its formula", async () => {
      const page = await blankFrame(browser);
      for (let i = 0; i < programs.length; i += BATCH) {
        const some = programs.slice(i, i + BATCH);
        const runs = await run(page, some);
        expect(runs.map(({ answer }) => answer.state)).toEqual(some.map(() => "run"));
        expect(some.flatMap((program, k) => differences(program, runs[k] as Run))).toEqual([]);
      }
    });

    it("[B6] the program leaves nothing behind and does not move the focus", async () => {
      const page = await blankFrame(browser);
      const runs = await run(page, programs.slice(0, 20));
      expect(new Set(runs.map(({ left }) => left))).toEqual(
        new Set(['<input id="box" type="checkbox" autofocus=""> box']),
      );
    });

    it("[B6] the first program in a document takes less than 300 ms", async () => {
      const times: number[] = [];
      for (const program of programs.slice(0, 3)) {
        const page = await blankFrame(browser);
        times.push(...(await run(page, [program])).map(({ ms }) => ms));
        await page.context().close();
      }
      // 60 ms are the aim; a busy machine is slower by a few times, a mistake by orders of magnitude.
      expect(Math.min(...times)).toBeLessThan(300);
    });
  });
}

describe.skipIf(WITHOUT_BROWSER)("the program in a browser with other settings", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  it.each([
    ["a screen of 1.25", { deviceScaleFactor: 1.25 }],
    ["a telephone", { deviceScaleFactor: 2.625, isMobile: true, hasTouch: true }],
    ["a frame of 164 pixels", { viewport: { width: 164, height: 144 } }],
    [
      "forced colours, dark, reduced motion",
      { forcedColors: "active", colorScheme: "dark", reducedMotion: "reduce" },
    ],
  ])("[B2] the program passes with %s", async (_, options) => {
    const page = await blankFrame(browser, options);
    const some = programs.slice(0, BATCH);
    const runs = await run(page, some);
    const verdicts = some.map((program, i) => {
      const { answer } = runs[i] as Run;
      return programVerdict({ ...program, times: [] }, { answer, telemetry: {}, ms: 10 });
    });
    expect(verdicts).toEqual(some.map(() => undefined));
    await page.context().close();
  });

  it("[B6] the program in a frame without a size returns hidden", async () => {
    const page = await blankFrame(browser, { viewport: { width: 400, height: 400 } });
    const program = programs[0] as Program;
    const code = program.code().toString("base64");
    await page.setContent('<iframe id="hidden" hidden srcdoc="<p>frame</p>"></iframe>');
    const handle = await page.waitForSelector("#hidden", { state: "attached" });
    const frame = await handle.contentFrame();
    if (frame === null) throw new Error("the frame has no content");
    await frame.waitForLoadState();
    const answer = await frame.evaluate(
      `${await interpreterScript()};interpreter.runProgram({ code: ${JSON.stringify(code)}, key: [1, 2] }, [[1, 0]], {})`,
    );
    expect(answer).toMatchObject({ state: "hidden", rows: [] });
  });
});
