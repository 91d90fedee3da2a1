import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../../support/patience.js";
import { total } from "../../support/prometheus.js";
import { FAMILIES, type Family } from "../../tools/observability/families.js";
import { PROCESS_FAMILIES } from "../../tools/observability/process-families.js";
import { NOT_HERE, WholeGateway } from "./whole-gateway.js";

const families: Readonly<Record<string, Family>> = { ...FAMILIES, ...PROCESS_FAMILIES };

let whole: WholeGateway;
beforeAll(async () => {
  whole = await WholeGateway.start();
});
afterAll(() => whole.end());

describe("the metrics page of a gateway with all features", () => {
  it("the page has all documented families except those without an event, with type, labels and help", async () => {
    await whole.use();
    whole.gateway.process.kill("SIGHUP");
    const page = await until(async () => {
      const now = await whole.page();
      // Loggers deliver, and the thread of the captcha renders its first task, some time after the requests.
      const settled = [
        "gw_log_entries_dropped_total",
        "gw_spool_entries_shipped_total",
        "gw_captcha_tasks_ready",
      ].every((name) => total(now, name) > 0);
      return settled && total(now, "gw_config_last_reload_successful") === 1 ? now : undefined;
    });
    for (const [name, { type, help, samples }] of page) {
      const { labels = [], ...head } = families[name] ?? {};
      expect({ name, type, help }).toEqual({ name, ...head });
      for (const sample of samples) {
        const own = Object.keys(sample.labels).filter((label) => label !== "le");
        expect([name, ...own.sort()]).toEqual([name, ...[...labels].sort()]);
      }
    }
    expect(Object.keys(families).filter((name) => !page.has(name))).toEqual(NOT_HERE);
  });
});
