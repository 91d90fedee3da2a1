import type { TaskAnswer } from "../../../../plugins/captcha/service/contract.js";
import { WebKit } from "../../../support/webkit.js";
import { configurationFor } from "../browser/configuration.js";
import { type HostSite, startHostSite } from "../browser/host-page.js";
import { type Service, startService } from "../browser/service.js";
import { RECORDER, WebKitVisit } from "./webkit-visit.js";

/** A site, the captcha service and WebKitGTK. */
export interface WebKitHarness {
  readonly service: Service;
  readonly site: HostSite;
  /** Opens a page in the one browser. */
  visit(body: string): Promise<WebKitVisit>;
  /** Runs an action that is followed by a new task, and waits until the task is shown. */
  untilNewTask(visit: WebKitVisit, action: () => Promise<unknown>): Promise<void>;
  /** Solves tasks until the box is verified: three at most, since quick answers get two more (C26, A45). */
  solve(visit: WebKitVisit, answer?: (right: TaskAnswer) => Promise<unknown>): Promise<void>;
  /** Verifies a token as the site's backend, with details. */
  verify(siteKey: string, token: string): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

export async function openWebKitHarness(): Promise<WebKitHarness> {
  const service = await startService(configurationFor);
  const site = await startHostSite(service.url);
  const webkit = await WebKit.start();
  const driver = await webkit.session();
  const { given } = service.tasks;
  return {
    service,
    site,
    async visit(body) {
      const visit = new WebKitVisit(driver);
      const head = `${RECORDER}<script src="${service.url}/captcha.js" async defer></script>`;
      await driver.frame(null);
      await driver.navigate(site.page({ head, body, html: 'lang="en"' }));
      return visit;
    },
    async untilNewTask(visit, action) {
      const before = given.length;
      await action();
      // The next task comes later after each failure, at most 8 s.
      await visit.until("a new task", async () => given.length > before);
      await visit.taskReady();
    },
    async solve(visit, answer = (right) => visit.answer(right)) {
      for (let attempt = 0; attempt < 3; attempt++) {
        await visit.taskReady();
        const before = given.length;
        await answer(service.tasks.answer());
        const isOver = () => visit.isChecked().catch(() => false);
        await visit.until("a verdict", async () => given.length > before || (await isOver()));
        if (given.length === before) return;
      }
      throw new Error("three right answers did not suffice");
    },
    async verify(siteKey, token) {
      const query = new URLSearchParams({ jwt: token, details: "true" });
      const answer = await fetch(`${service.loopback}/${siteKey}/verify?${query}`, {
        headers: { "X-Api-Key": service.apiKey },
      });
      return (await answer.json()) as Record<string, unknown>;
    },
    async close() {
      await driver.close();
      await webkit.close();
      await site.close();
      await service.close();
    },
  };
}
