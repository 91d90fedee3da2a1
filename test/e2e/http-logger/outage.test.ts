import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BodyNginx, nginxAbsent } from "../../support/body-nginx.js";
import { DurableHarness } from "../../support/durable-harness.js";
import { UniqueLoad } from "../../support/unique-load.js";

const reason = nginxAbsent();
const SECONDS = 8;

interface Kept {
  path: string;
  record_id: string;
}

describe.skipIf(reason !== undefined)(`an outage of nginx${reason ? ` (${reason})` : ""}`, () => {
  let server: BodyNginx;
  let harness: DurableHarness | undefined;
  beforeEach(async () => {
    server = await BodyNginx.start();
  });
  afterEach(async () => {
    await harness?.end();
    await server.end();
  });

  const kept = (): Kept[] =>
    server.bodies().flatMap((body) =>
      body
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as Kept),
    );

  it("a durable logger loses no record of a completed request while its server is killed repeatedly", async () => {
    harness = await DurableHarness.start({
      ack: "response",
      plugins: (settings) => ({
        "http-logger": {
          uri: `http://127.0.0.1:${server.port}/ingest`,
          format: "ndjson",
          compression: "gzip",
          delivery: "durable",
          log_format: { path: "$uri" },
          ...settings,
        },
      }),
    });
    const load = new UniqueLoad(harness.port, { connections: 8, pauseMs: 1 });
    let kills = 0;
    try {
      for (const end = Date.now() + SECONDS * 1_000; Date.now() < end; kills++) {
        await pause(100 + Math.random() * 400);
        await server.kill();
        await pause(Math.random() * 300);
        await server.open();
      }
    } finally {
      await load.stop();
    }
    const missing = () => {
      const arrived = new Set(kept().map(({ path }) => path));
      return [...load.answered.keys()].filter((path) => !arrived.has(path));
    };
    for (const end = Date.now() + 20_000; missing().length > 0 && Date.now() < end; ) await pause(200);
    const records = kept();
    const ids = new Set(records.map(({ record_id }) => record_id));
    const lost = missing().length;
    console.log(
      `nginx killed ${kills} times: ${load.answered.size} answered, received ${records.length}, ` +
        `duplicated ${records.length - ids.size}, lost = ${lost}`,
    );
    expect(kills).toBeGreaterThan(5);
    expect(load.answered.size).toBeGreaterThan(500);
    expect(load.refused + load.failed).toBe(0);
    expect(lost).toBe(0);
  });
});
