import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { answers, LogStore } from "../../support/log-store.js";
import { until } from "../../support/patience.js";
import { ProcessGateway } from "../process/gateway.js";

/** An example and the body that its page shows for it. */
const EXAMPLE =
  /^## ([^\n]+)\n(?:(?!^## )[\s\S])*?```yaml\n([\s\S]*?)```\n\nThis sends, for a request of `([^`]+)`:\n\n```json\n([\s\S]*?)```/gm;

const page = readFileSync(join(import.meta.dirname, "../../../plugins/http-logger/README.md"), "utf8");
const examples = Array.from(page.matchAll(EXAMPLE), ([, title = "", yaml = "", target = "", sent = ""]) => ({
  title,
  yaml,
  target,
  sent,
}));

interface Example {
  routes: { plugins: { "http-logger": { uri: string; inactive_timeout?: number } } }[];
  upstreams: { nodes: Record<string, number> }[];
}

/** The text without current times and ids. */
const timeless = (text: string) =>
  text
    .replace(/\b\d{19}\b/g, "<ns>")
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)/g, "<time>")
    .replace(/\b[0-9a-f]{16}-[0-9a-z]+\b/g, "<id>")
    .trimEnd();

describe("the examples of plugins/http-logger/README.md", () => {
  let upstream: Server;
  beforeAll(async () => {
    upstream = createServer((_, response) => response.end("hello"));
    await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  });
  afterAll(() => upstream.close());

  it("the page has one example for each kind of store", () => {
    expect(examples.map(({ title }) => title)).toEqual([
      "Vector, Fluent Bit and others",
      "Loki",
      "Elasticsearch and OpenSearch",
      "ClickHouse",
      "OpenTelemetry",
    ]);
  });

  it.each(examples)(
    "the example for $title sends the body that the page shows",
    async ({ yaml, target, sent }) => {
      const store = await LogStore.start();
      store.usual = answers(200, '{"errors":false}');
      const example = parse(yaml) as Example;
      for (const { plugins } of example.routes) {
        const settings = plugins["http-logger"];
        const { pathname } = new URL(settings.uri);
        settings.uri = `http://127.0.0.1:${store.port}${pathname}`;
        settings.inactive_timeout = 1;
      }
      for (const one of example.upstreams)
        one.nodes = { [`127.0.0.1:${(upstream.address() as AddressInfo).port}`]: 1 };
      const gateway = await ProcessGateway.start(example);
      try {
        await gateway.get(target);
        const [request] = await until(() => (store.requests.length > 0 ? store.requests : undefined));
        expect(timeless(request?.text ?? "")).toBe(timeless(sent));
      } finally {
        await gateway.end();
        await store.kill();
      }
    },
  );
});
