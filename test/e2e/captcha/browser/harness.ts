import type { Browser, BrowserContext, BrowserContextOptions } from "playwright-core";
import type { CaptchaSiteKey } from "../../../../plugins/captcha/captcha-table.js";
import type { CaptchaConfiguration, TaskAnswer } from "../../../../plugins/captcha/service/contract.js";
import { launchEngine, type Wish } from "../../../support/engine.js";
import { until } from "../../../support/patience.js";
import { configurationFor } from "./configuration.js";
import type { Front } from "./front.js";
import { type HostSite, type Scenario, startHostSite } from "./host-page.js";
import type { KnownTasks } from "./known-tasks.js";
import { startService } from "./service.js";
import { Visit } from "./visit.js";

interface VerifyAnswer {
  status: number;
  body: Record<string, unknown>;
}

/** A site, the captcha service and a browser. */
export interface Harness {
  /** {captcha_url} */
  readonly url: string;
  /** {captcha_url} for programs that do not resolve names below `localhost`. */
  readonly loopback: string;
  readonly apiKey: string;
  readonly site: HostSite;
  readonly browser: Browser;
  readonly tasks: KnownTasks;
  /** Requests of browsers to the service. */
  readonly front: Front;
  /** Texts that no browser may ever receive. */
  readonly secrets: readonly string[];
  /** Opens a page; `{captcha}` in it becomes {captcha_url}. */
  visit(
    scenario: Scenario,
    options?: BrowserContextOptions,
    before?: (visit: Visit) => Promise<unknown>,
  ): Promise<Visit>;
  /** Runs an action that is followed by a new task, and waits until the task is shown. */
  untilNewTask(visit: Visit, action: () => Promise<unknown>): Promise<void>;
  /**
   * Solves tasks until the box is verified, three at most: answers as fast as a test's look like a bot's and
   * get another task twice in a row (C26, A45).
   * @param answer way of answering; default: with the mouse
   */
  solve(visit: Visit, answer?: (right: TaskAnswer) => Promise<unknown>): Promise<void>;
  /** Body of the last request to this path that passed the front, once `action` has caused one. */
  sent<T>(path: string, action: () => Promise<unknown>): Promise<T>;
  /** Verifies a token as the site's backend. */
  verify(siteKey: string, token: string, apiKey?: string): Promise<VerifyAnswer>;
  /** Posts JSON with the same origin as the frames, without a browser. */
  post(path: string, body: unknown): Promise<VerifyAnswer>;
  get(path: string): Promise<Response>;
  close(): Promise<void>;
}

/**
 * @param args further arguments of the browser
 * @param settings further settings of the service
 */
export async function openHarness(
  options: {
    args?: string[];
    ignoreDefaultArgs?: string[];
    settings?: Partial<CaptchaConfiguration["settings"]>;
    siteKeys?: Partial<CaptchaSiteKey>;
    wish?: Wish;
  } = {},
): Promise<Harness> {
  const service = await startService((url) => configurationFor(url, options.settings, options.siteKeys));
  const site = await startHostSite(service.url);
  const { args = [], ignoreDefaultArgs } = options;
  const engine = await launchEngine(
    { args, ...(ignoreDefaultArgs ? { ignoreDefaultArgs } : {}) },
    options.wish,
  );
  const { browser } = engine;
  const contexts: BrowserContext[] = [];
  const filled = (value: string) => value.replaceAll("{captcha}", service.url);
  return {
    url: service.url,
    loopback: service.loopback,
    apiKey: service.apiKey,
    site,
    browser,
    tasks: service.tasks,
    front: service.front,
    secrets: service.secrets,
    async visit(scenario, contextOptions = {}, before) {
      const context = await browser.newContext({ locale: "en-US", ...contextOptions });
      contexts.push(context);
      const visit = await Visit.in(context);
      await before?.(visit);
      const page: Scenario = { ...scenario, body: filled(scenario.body) };
      if (scenario.head !== undefined) page.head = filled(scenario.head);
      if (scenario.headers)
        page.headers = Object.fromEntries(
          Object.entries(scenario.headers).map(([name, value]) => [name, filled(value)]),
        );
      await visit.page.goto(site.page(page));
      return visit;
    },
    async untilNewTask(visit, action) {
      const before = service.tasks.given.length;
      await action();
      await until(() => service.tasks.given.length > before);
      await visit.task.ready();
    },
    async solve(visit, answer = (right) => visit.task.answer(right)) {
      for (let attempt = 0; attempt < 3; attempt++) {
        await visit.task.ready();
        const before = service.tasks.given.length;
        await answer(service.tasks.answer());
        // The next task comes later after each failure, at most 8 s, and costs work.
        const outcome = await until(async () => {
          if (await visit.isVerified()) return "verified";
          return service.tasks.given.length > before && "another task";
        });
        if (outcome === "verified") return;
      }
      throw new Error("three right answers did not suffice");
    },
    async sent<T>(path: string, action: () => Promise<unknown>): Promise<T> {
      const matching = () => service.front.asked.filter((asked) => asked.path === path);
      const before = matching().length;
      await action();
      await until(() => matching().length > before);
      return JSON.parse(matching().at(-1)?.body ?? "") as T;
    },
    async verify(siteKey, token, apiKey = service.apiKey) {
      const query = new URLSearchParams({ jwt: token });
      const answer = await fetch(`${service.loopback}/${siteKey}/verify?${query}`, {
        headers: { "X-Api-Key": apiKey },
      });
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
    },
    async post(path, body) {
      const headers = { "Content-Type": "application/json", Origin: service.url };
      const answer = await fetch(service.loopback + path, {
        method: "POST",
        headers,
        body: JSON.stringify(body),
      });
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
    },
    get: (path) => fetch(service.loopback + path),
    async close() {
      await Promise.all(contexts.map((context) => context.close()));
      await engine.close();
      await site.close();
      await service.close();
    },
  };
}
