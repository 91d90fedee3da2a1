import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { launchBrowser } from "../../support/browser.js";
import { PATIENCE_MS } from "../../support/patience.js";
import { ADMIN_KEY, AdminGateway } from "../control/admin.js";

/** Gateway with a dashboard, and a browser that opens it. */
export class DashboardHarness {
  readonly gateway: AdminGateway;
  readonly #browser: Browser;

  private constructor(gateway: AdminGateway, browser: Browser) {
    this.gateway = gateway;
    this.#browser = browser;
  }

  /** @param configuration YAML with resources; @param admin keys of `deployment.admin` */
  static async open(
    configuration = "",
    admin: Record<string, unknown> = {},
    launch: () => Promise<Browser> = launchBrowser,
  ): Promise<DashboardHarness> {
    return new DashboardHarness(await AdminGateway.start(configuration, admin), await launch());
  }

  async close(): Promise<void> {
    await this.#browser.close();
    await this.gateway.stop();
  }

  get origin(): string {
    return `http://127.0.0.1:${this.gateway.port("admin")}`;
  }

  /** Opens a tab in its own browser context. */
  async visit(path = "/gw/ui", options: BrowserContextOptions = {}): Promise<Visit> {
    return openVisit(this.#browser, `${this.origin}${path}`, options);
  }

  /** Opens a tab as `visit` does and signs in. */
  async signedIn(path?: string, options?: BrowserContextOptions, key = ADMIN_KEY): Promise<Visit> {
    const visit = await this.visit(path, options);
    await visit.signIn(key);
    return visit;
  }

  /** Returns the response that a client of the gateway receives. */
  async traffic(path: string): Promise<{ status: number; text: string; headers: Headers }> {
    const response = await fetch(`http://127.0.0.1:${this.gateway.port("data")}${path}`);
    return { status: response.status, text: await response.text(), headers: response.headers };
  }
}

/** Opens a tab in its own browser context. */
export async function openVisit(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<Visit> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    locale: "en-GB",
    reducedMotion: "reduce",
    ...options,
  });
  // Half of a test's timeout, so that a missing element is reported by its locator.
  context.setDefaultTimeout(PATIENCE_MS / 2);
  const visit = new Visit(await context.newPage());
  await visit.begin(url);
  return visit;
}

/** One tab, which fails on policy violations and on script errors. */
export class Visit {
  readonly page: Page;
  readonly #complaints: string[] = [];

  constructor(page: Page) {
    this.page = page;
  }

  async begin(url: string): Promise<void> {
    this.page.on("pageerror", (error) => this.#complaints.push(error.message));
    await this.page.exposeFunction("violated", (text: string) => this.#complaints.push(text));
    await this.page.addInitScript(
      'addEventListener("securitypolicyviolation", (e) => violated(`${e.violatedDirective} ${e.sourceFile} ${e.sample}`))',
    );
    await this.page.goto(url);
  }

  async signIn(key: string): Promise<void> {
    await this.write(this.page.getByLabel("Admin key"), key);
    await this.page.keyboard.press("Enter");
  }

  /** Goes to another page as a link of the dashboard does: without a load and without a new sign-in. */
  async go(path: string): Promise<void> {
    await this.page.evaluate(`history.pushState({}, "", ${JSON.stringify(path)})`);
  }

  /** Types over the content of a field, since React gets no event of Playwright's `fill` in Firefox. */
  async write(field: Locator, text: string): Promise<void> {
    await field.click();
    await this.page.keyboard.press("Control+a");
    await this.page.keyboard.type(text);
  }

  /** Pastes plain text with line endings, which Playwright's typing into an editor would restyle. */
  async paste(selector: string, text: string): Promise<void> {
    await this.page.locator(selector).waitFor();
    await this.page.evaluate(`{
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", ${JSON.stringify(text)});
      const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
      document.querySelector(${JSON.stringify(selector)}).dispatchEvent(event);
    }`);
  }

  /** Saves and waits until the gateway reports a new generation. */
  async save(): Promise<void> {
    const live = this.page.getByText(/^Live, generation \d+$/);
    // The notification of the previous save remains for a minute.
    const [before] = await live.allTextContents();
    await this.page.getByRole("button", { name: "Save", exact: true }).click();
    const after = before === undefined ? live : live.filter({ hasNotText: new RegExp(`${before}$`) });
    await after.last().waitFor();
  }

  /** @throws Error if the page violated its policy or had a script error */
  async close(): Promise<void> {
    await this.page.context().close();
    if (this.#complaints.length > 0) throw new Error(`the page complains: ${this.#complaints.join("; ")}`);
  }
}
