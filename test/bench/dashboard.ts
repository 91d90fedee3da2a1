/** The web interface of a gateway with 10,000 routes, in Debian's Chromium: from what a person does to what stands on the screen. */
import type { Page } from "playwright-core";
import { openVisit } from "../e2e/dashboard/harness.js";
import { launchBrowser, WITHOUT_BROWSER } from "../support/browser.js";
import { median } from "./cpu.js";
import { ADMIN_KEY } from "./gwc.js";
import { put, withGateway } from "./put.js";

const ROUTES = 10_000;

/** What is measured, with the aim in milliseconds. */
const AIMS = {
  "list of 10,000 routes": 1_000,
  search: 50,
  "editor of a route": 200,
  "editor of the next route": 200,
  "findings, while one types": 150,
  "save, until it is live": 150,
} as const;
type Measured = keyof typeof AIMS;

/** Milliseconds in the page from an act to the frame that shows its outcome. Both are JavaScript: the debugger runs them, which no policy binds. */
const until = (page: Page, act: string, shown: string): Promise<number> =>
  page.evaluate(`new Promise((done) => {
    const began = performance.now();
    const look = () => requestAnimationFrame(() => ((${shown}) ? done(performance.now() - began) : look()));
    ${act};
    look();
  })`);

const link = (text: string) =>
  `[...document.querySelectorAll("a")].find((one) => one.textContent === "${text}")`;
const STATUS = `document.querySelector("main [role=status]")?.textContent ?? ""`;
/** As React hears of it. */
const typed = (selector: string, text: string) => `{
  const field = document.querySelector('${selector}');
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(field, "${text}");
  field.dispatchEvent(new Event("input", { bubbles: true }));
}`;

async function oneVisit(page: Page, turn: number): Promise<Record<Measured, number>> {
  await page.getByRole("navigation").getByRole("link", { name: "Routes" }).waitFor();
  // The code of the other pages comes after the first page.
  await page.waitForTimeout(4_000);
  const list = await until(page, `${link("Routes")}.click()`, `/^10,?002/.test(${STATUS})`);
  const search = await until(
    page,
    typed("input[type=search]", "plugin:response-rewrite live"),
    `/^1 /.test(${STATUS})`,
  );
  const form = `document.querySelector(".rjsf input")`;
  const editor = await until(page, `${link("live")}.click()`, form);
  const next = await nextEditor(page, form);
  const found = (count: string) =>
    `/^Findings${count}$/m.test(document.querySelector(".effect")?.innerText ?? "")`;
  // Nobody types sooner; what stands beside the form is made by then.
  await page.waitForTimeout(500);
  const findings = await until(page, typed("#resource_uri", "no-slash"), found(": \\d"));
  await until(page, typed("#resource_uri", "/live"), found(""));
  await page.getByRole("textbox", { name: "name", exact: true }).first().fill(`turn ${turn}`);
  const button = `[...document.querySelectorAll("button")].find((one) => one.textContent === "Save" && !one.disabled)`;
  await page.getByRole("button", { name: "Save", exact: true, disabled: false }).waitFor();
  const live = `/Live, generation/.test(document.body.textContent)`;
  const save = await until(page, `${button}.click()`, live);
  return {
    "list of 10,000 routes": list,
    search,
    "editor of a route": editor,
    "editor of the next route": next,
    "findings, while one types": findings,
    "save, until it is live": save,
  };
}

/** The first editor of a visit compiles its code; those that an operator opens all day find it compiled. */
async function nextEditor(page: Page, form: string): Promise<number> {
  await until(page, "history.back()", `/^\\d/.test(${STATUS})`);
  await until(page, typed("input[type=search]", "plugin:response-rewrite next"), link("next"));
  const editor = await until(page, `${link("next")}.click()`, form);
  await page.goBack();
  await until(page, typed("input[type=search]", "plugin:response-rewrite live"), link("live"));
  await until(page, `${link("live")}.click()`, form);
  return editor;
}

/** @returns Markdown */
export async function dashboardReport(progress: (text: string) => void, turns = 9): Promise<string> {
  if (WITHOUT_BROWSER) return WITHOUT_BROWSER;
  progress(`starting a gateway with ${ROUTES} routes`);
  const results = await withGateway(ROUTES, async (_data, admin) => {
    await put(admin, 0);
    await put(admin, 0, "next");
    const browser = await launchBrowser();
    const measured: Record<Measured, number>[] = [];
    for (let turn = 0; turn <= turns; turn++) {
      progress(`visit ${turn} of ${turns}`);
      const visit = await openVisit(browser, `http://127.0.0.1:${admin}/gw/ui`);
      await visit.signIn(ADMIN_KEY);
      const times = await oneVisit(visit.page, turn);
      // The first warms up what all later ones find warm.
      if (turn > 0) measured.push(times);
      await visit.close();
    }
    await browser.close();
    return measured;
  });
  const row = (what: Measured) => {
    const times = results.map((result) => result[what]);
    const shown = [median(times), Math.min(...times), Math.max(...times)].map((one) => one.toFixed(0));
    return `| ${what} | ${shown.join(" | ")} | ${AIMS[what]} |`;
  };
  const rows = (Object.keys(AIMS) as Measured[]).map(row);
  return ["| ms | median | least | most | aim |", "|---|---|---|---|---|", ...rows].join("\n");
}
