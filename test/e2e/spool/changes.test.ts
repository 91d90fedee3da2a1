import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { changeSettings } from "../../support/durable-changes.js";
import { DurableHarness } from "../../support/durable-harness.js";
import { until } from "../../support/patience.js";
import { RecordReceiver } from "../../support/record-receiver.js";
import { UniqueLoad } from "../../support/unique-load.js";

let receiver: RecordReceiver;
let harness: DurableHarness | undefined;
let load: UniqueLoad | undefined;
beforeEach(async () => {
  receiver = new RecordReceiver();
  await receiver.start();
});
afterEach(async () => {
  await load?.stop();
  await harness?.end();
  await receiver.kill();
});

describe("changes of a logger's settings under load", () => {
  it("a durable logger loses and duplicates no record while its settings change under load", async () => {
    const result = await changeSettings(40);
    console.log(JSON.stringify(result));
    expect(result).toMatchObject({ lost: 0, duplicated: 0, failed: 0, refused: 0 });
    expect(result.answered).toBeGreaterThan(100);
  });
});

describe("a full disk or spool", () => {
  const plugins = (settings: object) => ({
    syslog: {
      host: "127.0.0.1",
      port: receiver.port,
      delivery: "durable",
      log_format: { path: "$uri", filling: "x".repeat(3_000) },
      ...settings,
    },
  });

  it("requests are rejected with 503 while the disk is full, and no record of a completed one is lost", async () => {
    await receiver.kill();
    // No file may grow beyond 1 MiB: for a process that equals a full disk.
    const options = { ack: "response", plugins, under: ["prlimit", "--fsize=1048576"], workers: 1 } as const;
    harness = await DurableHarness.start(options);
    const running = new UniqueLoad(harness.port, { connections: 8 });
    load = running;
    await until(() => running.refused + running.failed > 20);
    await receiver.start();
    const before = running.answered.size;
    await until(() => running.answered.size > before + 50);
    await running.stop();
    const lost = () => [...running.answered.keys()].filter((path) => !receiver.byPath.has(path));
    await until(() => lost().length === 0);
  });

  it("requests are rejected with 503 while the spool is at max_bytes, and accepted after it drained", async () => {
    await receiver.kill();
    harness = await DurableHarness.start({ ack: "response", plugins, spool: { max_bytes: 1_048_576 } });
    const running = new UniqueLoad(harness.port, { connections: 4 });
    load = running;
    await until(() => running.refused > 20);
    expect(running.failed).toBe(0);
    await receiver.start();
    const before = running.answered.size;
    await until(() => running.answered.size > before + 50);
    await running.stop();
    const lost = () => [...running.answered.keys()].filter((path) => !receiver.byPath.has(path));
    await until(() => lost().length === 0);
    expect(receiver.duplicates).toBe(0);
  });
});
