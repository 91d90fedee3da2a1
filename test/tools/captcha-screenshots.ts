/** `npm run screenshots`: how every state of the captcha looks, into docs/captcha/img and docs/captcha/looks.md. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContextOptions, Page } from "playwright-core";
import { KEYS } from "../e2e/captcha/browser/configuration.js";
import { type Harness, openHarness } from "../e2e/captcha/browser/harness.js";
import { wrong } from "../e2e/captcha/browser/task-dialog.js";
import type { Visit } from "../e2e/captcha/browser/visit.js";
import { UNPADDED } from "./plugin-docs.js";

interface Look {
  language: "ru" | "en";
  theme: "light" | "dark";
}
const LOOKS: Look[] = [
  { language: "ru", theme: "light" },
  { language: "en", theme: "dark" },
];

interface Shot {
  name: string;
  what: string;
  key: string;
  attributes?: string;
  options?: BrowserContextOptions;
  looks?: Look[];
  /** Before the page is opened. */
  before?: (visit: Visit) => Promise<unknown>;
  /** Default: the widget. */
  take?: (visit: Visit) => Pick<Page, "screenshot">;
  reach(visit: Visit, harness: Harness): Promise<unknown>;
}

/** A new task is on the screen after what was done. */
async function untilNewTask(visit: Visit, harness: Harness, action: () => Promise<void>): Promise<void> {
  const given = harness.tasks.given.length;
  await action();
  while (harness.tasks.given.length === given) await visit.page.waitForTimeout(50);
  await visit.task.ready();
}

async function toTask(visit: Visit, harness: Harness, type?: "text" | "audio"): Promise<void> {
  await visit.tick();
  await visit.task.ready();
  if (type) {
    await untilNewTask(visit, harness, () => visit.task.button(type).click());
    await visit.task.frame.getByRole("textbox").waitFor();
  }
  await visit.task.frame
    .locator("body")
    .evaluate("Promise.all([...document.images].map((image) => image.decode().catch(() => undefined)))");
}

const narrow: BrowserContextOptions = { viewport: { width: 320, height: 568 }, hasTouch: true };
const page = (visit: Visit) => visit.page;
const dialog = (visit: Visit) => visit.task.dialog.locator("iframe");

async function toVerified(visit: Visit): Promise<void> {
  await visit.tick();
  await visit.untilVerified();
}

async function sessionsRefused({ page }: Visit): Promise<void> {
  await page.clock.install();
  await page.route("**/api/v1/session", (route) => route.abort("internetdisconnected"));
}

async function untilAway(visit: Visit): Promise<void> {
  while ((await visit.calls("sp-captcha:error")).length === 0) {
    await visit.page.clock.fastForward(5_000);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** Every answer comes after the session's end. */
const sessionGone = ({ page }: Visit) =>
  page.route("**/api/v1/task/*/answer", (route) =>
    route.fulfill({ status: 410, json: { error: "session_expired", retryable: false } }),
  );

async function toEnd(visit: Visit, harness: Harness): Promise<void> {
  await visit.tick();
  await visit.task.ready();
  await visit.task.answer(wrong(harness.tasks.answer()));
  await visit.task.frame.locator(".retry").waitFor();
  // The dialog is made smaller by three windows' messages.
  await visit.page.waitForTimeout(300);
}

const SHOTS: Shot[] = [
  { name: "start", what: "At first", key: KEYS.low, reach: (visit) => visit.checkbox().waitFor() },
  {
    name: "scoring",
    what: "While the score is computed",
    key: KEYS.low,
    options: { viewport: { width: 420, height: 260 } },
    before: ({ page }) => page.route("**/api/v1/score", () => undefined),
    take: page,
    reach: async (visit) => {
      await visit.tick();
      // Seen after 300 ms.
      await visit.page.waitForFunction("getComputedStyle(document.querySelector('dialog')).opacity === '1'");
    },
  },
  {
    name: "operator",
    what: "With the operator's name",
    key: KEYS.operator,
    reach: (visit) => visit.checkbox().waitFor(),
  },
  { name: "verified", what: "Verified", key: KEYS.low, reach: toVerified },
  {
    name: "expired",
    what: "The token's life has ended",
    key: KEYS.low,
    before: ({ page }) => page.clock.install(),
    reach: async (visit) => {
      await toVerified(visit);
      await visit.page.clock.fastForward(300_000);
      await visit.called("sp-captcha:expired");
      await visit.page.clock.resume();
    },
  },
  {
    name: "error",
    what: "The site is not set up",
    key: "no-such-site-key",
    reach: (visit) => visit.called("sp-captcha:error"),
  },
  {
    name: "away",
    what: "The service is away",
    key: KEYS.low,
    before: sessionsRefused,
    reach: untilAway,
  },
  {
    name: "ended-box",
    what: "The session has ended",
    key: KEYS.normal,
    before: sessionGone,
    reach: async (visit, harness) => {
      await toEnd(visit, harness);
      await visit.task.frame.locator(".retry").click();
      await visit.task.dialog.waitFor({ state: "detached" });
    },
  },
  ...[240, 320].map(
    (width): Shot => ({
      name: `start-${width}`,
      what: `In a container of ${width} pixels`,
      key: KEYS.operator,
      options: { viewport: { width: width + 16, height: 200 } },
      reach: (visit) => visit.checkbox().waitFor(),
    }),
  ),
  {
    name: "ended-box-240",
    what: "The session has ended, in 240 pixels",
    key: KEYS.normal,
    options: { viewport: { width: 256, height: 568 } },
    before: sessionGone,
    reach: async (visit, harness) => {
      await toEnd(visit, harness);
      await visit.task.frame.locator(".retry").click();
      await visit.task.dialog.waitFor({ state: "detached" });
    },
  },
  {
    name: "away-240",
    what: "The service is away, in 240 pixels",
    key: KEYS.operator,
    options: { viewport: { width: 256, height: 200 } },
    before: sessionsRefused,
    reach: untilAway,
  },
  {
    name: "compact",
    what: "Compact",
    key: KEYS.low,
    attributes: 'data-size="compact"',
    reach: (visit) => visit.checkbox().waitFor(),
  },
  {
    name: "shapes",
    what: "Task: shapes in order",
    key: KEYS.shapes,
    take: dialog,
    reach: (visit, harness) => toTask(visit, harness),
  },
  {
    name: "rings",
    what: "Task: rings",
    key: KEYS.rings,
    take: dialog,
    reach: (visit, harness) => toTask(visit, harness),
  },
  {
    name: "text",
    what: "Task: letters",
    key: KEYS.shapes,
    take: dialog,
    reach: (visit, harness) => toTask(visit, harness, "text"),
  },
  {
    name: "audio",
    what: "Task: sound",
    key: KEYS.shapes,
    take: dialog,
    reach: (visit, harness) => toTask(visit, harness, "audio"),
  },
  {
    name: "wrong",
    what: "After a wrong answer",
    key: KEYS.shapes,
    take: dialog,
    reach: async (visit, harness) => {
      await toTask(visit, harness);
      await untilNewTask(visit, harness, () => visit.task.answer(wrong(harness.tasks.answer())));
    },
  },
  {
    name: "ended",
    what: "The session has ended under a task",
    key: KEYS.normal,
    take: dialog,
    before: sessionGone,
    reach: toEnd,
  },
  {
    name: "narrow-ended",
    what: "320 pixels wide, the session has ended",
    key: KEYS.normal,
    options: narrow,
    take: page,
    before: sessionGone,
    reach: toEnd,
  },
  {
    name: "wide",
    what: "1,280 pixels wide",
    key: KEYS.shapes,
    options: { viewport: { width: 1280, height: 720 } },
    take: page,
    reach: (visit, harness) => toTask(visit, harness),
  },
  {
    name: "narrow-shapes",
    what: "320 pixels wide",
    key: KEYS.shapes,
    options: narrow,
    take: page,
    reach: (visit, harness) => toTask(visit, harness),
  },
  {
    name: "narrow-rings",
    what: "320 pixels wide, rings",
    key: KEYS.rings,
    options: narrow,
    take: page,
    reach: (visit, harness) => toTask(visit, harness),
  },
  {
    name: "forced-colors",
    what: "Colours of the system",
    key: KEYS.shapes,
    options: { forcedColors: "active" },
    take: dialog,
    reach: (visit, harness) => toTask(visit, harness),
  },
];

const folder = join(process.cwd(), "docs/captcha/img");
mkdirSync(folder, { recursive: true });
for (const file of readdirSync(folder)) rmSync(join(folder, file));
const harness = await openHarness();
const rows: string[] = [];
for (const shot of SHOTS) {
  const files: string[] = [];
  for (const { language, theme } of shot.looks ?? LOOKS) {
    const visit = await harness.visit(
      {
        head: `<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="${theme}"><style>body{margin:8px}</style><script src="{captcha}/captcha.js" async defer></script>`,
        body: `<div class="sp-captcha" data-sitekey="${shot.key}" data-response-field data-language="${language}" data-theme="${theme}" ${shot.attributes ?? ""}></div>`,
      },
      { colorScheme: theme, viewport: { width: 640, height: 640 }, reducedMotion: "reduce", ...shot.options },
      shot.before,
    );
    await shot.reach(visit, harness);
    const target = (shot.take ?? ((of) => of.container().locator("iframe").first()))(visit);
    const file = `${shot.name}-${language}-${theme}.png`;
    writeFileSync(join(folder, file), await target.screenshot({ animations: "disabled" }));
    files.push(file);
    await visit.close();
  }
  rows.push(`| ${shot.what} | ${files.map((file) => `![${shot.what}](img/${file})`).join(" | ")} |`);
}
await harness.close();
writeFileSync(
  join(folder, "../looks.md"),
  `# How the captcha looks

\`npm run screenshots\` takes these pictures in Chromium and writes this page.

${UNPADDED}
| state | Russian, light | English, dark |
|---|---|---|
${rows.join("\n")}
`,
);
