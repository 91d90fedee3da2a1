import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ProgramAnswer } from "../../../../plugins/captcha/service/protocol.js";
import { interpreterScript } from "../../../support/captcha-interpreter.js";
import type { WebDriver } from "../../../support/webdriver.js";
import { WebKit, WITHOUT_WEBKIT } from "../../../support/webkit.js";
import { BATCH, differences, programs } from "../browser/program-runs.js";

let webkit: WebKit | undefined;
let driver: WebDriver;
beforeAll(async () => {
  webkit = await WebKit.start();
  driver = await webkit.session();
});
afterAll(async () => {
  await driver?.close();
  await webkit?.close();
});

/** A page with a frame of the checkbox frame's size, which a window cannot have. */
const PAGE = `<!doctype html><iframe width="300" height="74" style="border:0" srcdoc="<!doctype html><input id='box' type='checkbox' autofocus>"></iframe>`;

describe.skipIf(WITHOUT_WEBKIT)("the program in WebKitGTK", () => {
  it("[B2] every row of every seed has the result of its formula in WebKitGTK", async () => {
    await driver.navigate(`data:text/html,${encodeURIComponent(PAGE)}`);
    const [frame] = await driver.findAll("iframe");
    await driver.frame(frame ?? null);
    await driver.script("document.getElementById('box').focus()");
    const script = `${await interpreterScript()};
      return JSON.stringify(arguments[0].map((program) => interpreter.runProgram(program, [[1, 0]], {})));`;
    for (let i = 0; i < programs.length; i += BATCH) {
      const some = programs.slice(i, i + BATCH);
      const given = some.map(({ code, key }) => ({ code: code().toString("base64"), key }));
      const answers = JSON.parse(await driver.script<string>(script, given)) as ProgramAnswer[];
      expect(answers.map(({ state }) => state)).toEqual(some.map(() => "run"));
      const found = some.flatMap((program, k) =>
        differences(program, { answer: answers[k] as ProgramAnswer }),
      );
      expect(found).toEqual([]);
    }
  });
});
