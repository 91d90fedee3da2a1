import type { Route } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { WITHOUT_BROWSER } from "../../support/browser.js";
import { DashboardHarness, type Visit } from "./harness.js";

const LINES = 300;
const idOf = (number: number) => `r${String(number).padStart(3, "0")}`;
const FILE = `routes:
${Array.from({ length: LINES }, (_, at) => `  - { id: ${idOf(at)}, uri: /${idOf(at)}, upstream: { nodes: { "127.0.0.1:9": 1 } } }`).join("\n")}
`;

describe.skipIf(WITHOUT_BROWSER)("a list of many routes", () => {
  let harness: DashboardHarness;
  let visit: Visit;
  beforeAll(async () => {
    harness = await DashboardHarness.open(FILE);
  });
  afterAll(() => harness?.close());
  afterEach(() => visit.close());

  const row = (number: number) => visit.page.getByRole("link", { name: idOf(number), exact: true });
  const focused = () => visit.page.evaluate('document.activeElement?.textContent ?? ""');
  const scrolled = () => visit.page.evaluate('document.querySelector(".scroller").scrollTop');

  it("a route list is walked by j, k and PageDown, opened by Enter, and restored by Back", async () => {
    visit = await harness.signedIn("/gw/ui/routes?q=r&sort=id");
    const { page } = visit;
    await row(0).waitFor();
    const press = (key: string) => page.keyboard.press(key);
    await press("j");
    await expect.poll(focused).toBe(idOf(0));
    await press("j");
    await expect.poll(focused).toBe(idOf(1));
    await press("k");
    await expect.poll(focused).toBe(idOf(0));
    for (let at = 10; at <= 200; at += 10) {
      await press("PageDown");
      await expect.poll(focused).toBe(idOf(at));
    }
    const before = await scrolled();
    expect(before).toBeGreaterThan(5_000);
    await press("Enter");
    await page.getByRole("heading", { name: idOf(200), level: 1 }).waitFor();
    await page.goBack();
    await row(200).waitFor();
    await expect.poll(focused).toBe(idOf(200));
    expect(await scrolled()).toBe(before);
    expect(new URL(page.url()).search).toBe("?q=r&sort=id");
    await press("j");
    await expect.poll(focused).toBe(idOf(201));
  });

  it("a scroll position that changed while a route opened is restored by Back", async () => {
    visit = await harness.signedIn("/gw/ui/routes?sort=id");
    const { page } = visit;
    await row(0).waitFor();
    const scrolls = async (asked: Route) => {
      await page.evaluate(`new Promise((done) => {
        document.querySelector(".scroller").scrollTop = 60;
        requestAnimationFrame(() => requestAnimationFrame(done));
      })`);
      await asked.continue();
    };
    // Once: the page of the route may load it again when the list is gone.
    await page.route("**/gw/admin/routes/r005", scrolls, { times: 1 });
    await row(5).click();
    await page.getByRole("heading", { name: idOf(5), level: 1 }).waitFor();
    await page.goBack();
    await expect.poll(focused).toBe(idOf(5));
    expect(await scrolled()).toBe(60);
  });

  it("a new search and a link to the list start at the first row, to which the arrow key leads", async () => {
    visit = await harness.signedIn("/gw/ui/routes");
    const { page } = visit;
    await row(0).waitFor();
    await page.keyboard.press("j");
    await expect.poll(focused).toBe(idOf(0));
    await page.keyboard.press("End");
    await expect.poll(focused).toBe(idOf(LINES - 1));
    await page.keyboard.press("/");
    await page.keyboard.type("r1");
    await row(100).waitFor();
    expect(await scrolled()).toBe(0);
    await page.keyboard.press("ArrowDown");
    await expect.poll(focused).toBe(idOf(100));
    await page.keyboard.press("g");
    await page.keyboard.press("s");
    await page.getByRole("heading", { name: "Services", level: 1 }).waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("r");
    await row(0).waitFor();
    expect(await scrolled()).toBe(0);
  });

  it("the search retains the focus when rows return after a search without a match", async () => {
    visit = await harness.signedIn("/gw/ui/routes");
    const { page } = visit;
    await row(0).waitFor();
    await page.keyboard.press("j");
    await expect.poll(focused).toBe(idOf(0));
    await page.keyboard.press("/");
    await page.keyboard.type("zz");
    await page.getByText("Nothing matches").waitFor();
    for (const _ of "zz") await page.keyboard.press("Backspace");
    await row(0).waitFor();
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    expect(await page.evaluate("document.activeElement.type")).toBe("search");
  });

  it("the key k after g opens the captcha page, and j and k are typed into the search", async () => {
    visit = await harness.signedIn("/gw/ui/routes");
    const { page } = visit;
    await row(0).waitFor();
    await page.keyboard.press("j");
    await expect.poll(focused).toBe(idOf(0));
    await page.keyboard.press("/");
    await page.keyboard.type("jk");
    await page.getByText("Nothing matches").waitFor();
    await page.keyboard.press("Escape");
    await row(0).waitFor();
    await page.keyboard.press("ArrowDown");
    await expect.poll(focused).toBe(idOf(0));
    await page.keyboard.press("g");
    await page.keyboard.press("k");
    await page.getByRole("heading", { name: "Captcha", level: 1 }).waitFor();
  });
});
