import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { DurableHarness } from "../../support/durable-harness.js";
import { until } from "../../support/patience.js";
import { RecordReceiver } from "../../support/record-receiver.js";
import { UniqueLoad } from "../../support/unique-load.js";

const disk = mkdtempSync(join(tmpdir(), "gwc-disk-"));
/** True if this process may mount: the test needs a file system of 2 MiB. */
const mounted =
  spawnSync("mount", ["-t", "tmpfs", "-o", "size=2m", "gwc-spool-test", disk], { stdio: "ignore" }).status ===
  0;
afterAll(() => {
  if (mounted) spawnSync("umount", ["--lazy", disk]);
  rmSync(disk, { recursive: true, force: true });
});

let receiver: RecordReceiver;
let harness: DurableHarness;
let load: UniqueLoad | undefined;
beforeEach(async () => {
  receiver = new RecordReceiver();
  await receiver.start();
  await receiver.kill();
});
afterEach(async () => {
  await load?.stop();
  await harness.end();
  await receiver.kill();
});

function start(ack: "log" | "response"): Promise<DurableHarness> {
  const plugins = (settings: object) => ({
    syslog: {
      host: "127.0.0.1",
      port: receiver.port,
      delivery: "durable",
      log_format: { path: "$uri", filling: "x".repeat(3_000) },
      ...settings,
    },
  });
  return DurableHarness.start({ ack, plugins, spool: { path: join(disk, `spool-${ack}`) } });
}

const reason = mounted ? undefined : "mount -t tmpfs is refused here";

describe.skipIf(reason !== undefined)(`a full disk below the spool${reason ? ` (${reason})` : ""}`, () => {
  it("with ack: response a full disk rejects requests, loses no record of a completed one, and recovers", async () => {
    harness = await start("response");
    const running = new UniqueLoad(harness.port, { connections: 4 });
    load = running;
    await until(() => running.refused > 20);
    await receiver.start();
    const before = running.answered.size;
    await until(() => running.answered.size > before + 50);
    await running.stop();
    await until(() => [...running.answered.keys()].every((path) => receiver.byPath.has(path)));
    expect(harness.errors).toMatch(/ENOSPC|the rest of the disk is reserved/);
  });

  it("a request with ack: log is served on a full disk, and the gateway reports records without room", async () => {
    writeFileSync(join(disk, "filling"), "x".repeat(1_048_576));
    harness = await start("log");
    const running = new UniqueLoad(harness.port, { connections: 4 });
    load = running;
    // Records without an acknowledgement leave the disk its reserve, unless those of another worker are
    // noticed too late.
    const refused = /log_not_spooled.*the rest of the disk is reserved|spool_write_failed/;
    await until(() => refused.test(harness.errors));
    const before = running.answered.size;
    await until(() => running.answered.size > before + 200);
    expect(running.refused + running.failed).toBe(0);
    await receiver.start();
    await until(() => receiver.byPath.size > 50);
    await running.stop();
    rmSync(join(disk, "filling"));
  });
});
