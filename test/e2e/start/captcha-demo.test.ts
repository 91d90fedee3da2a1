import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launchBrowser, WITHOUT_BROWSER } from "../../support/browser.js";
import { Visit } from "../captcha/browser/visit.js";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const FORM = "http://127.0.0.1:9080/register";

let child: ChildProcess;
let browser: Browser;
let output = "";

beforeAll(async () => {
  child = spawn(process.execPath, [".build/examples/start.js"], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "inherit"],
  });
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  await expect
    .poll(() => output.includes("Ctrl-C") || child.exitCode !== null, { timeout: 50_000, interval: 100 })
    .toBe(true);
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  expect(await ended).toBe(0);
});

const open = async (address: string): Promise<Visit> => {
  const visit = await Visit.in(await browser.newContext());
  await visit.page.goto(address);
  return visit;
};
const sent = (visit: Visit) => visit.page.locator("output").innerText();

describe.skipIf(WITHOUT_BROWSER)("npm start shows a form behind the captcha", () => {
  it("prints the address of the form", () => {
    expect(output).toContain(FORM);
  });

  it("refuses the form without a token, and with one that is made up", async () => {
    for (const token of [undefined, "", "a.b.c"]) {
      const answer = await fetch(FORM, {
        method: "POST",
        body: new URLSearchParams({
          email: "ada@example.com",
          ...(token === undefined ? {} : { "captcha-token": token }),
        }),
      });
      expect(answer.status).toBe(403);
      expect(await answer.text()).not.toContain("welcome");
    }
  });

  it("shows a task to whoever ticks, in the page's language, without a violation of its policy", async () => {
    for (const language of ["en", "ru"]) {
      const visit = await open(`${FORM}?lang=${language}`);
      await visit.tick();
      await visit.task.ready();
      expect(await visit.task.frame.locator("html").getAttribute("lang")).toBe(language);
      expect(await visit.violations()).toEqual([]);
      await visit.page
        .getByRole("button", { name: /Register|Зарегистрироваться/ })
        .evaluate((button) => (button as unknown as { click(): void }).click());
      await expect.poll(() => sent(visit)).toContain("403");
      await visit.close();
    }
  });
});
