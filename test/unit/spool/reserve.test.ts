import { mkdtempSync, rmSync } from "node:fs";
import type * as files from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { MetricsRegistry } from "../../../runtime/abi/metrics-registry.js";
import { openSpool } from "../../../runtime/logging/spool/writer.js";
import { until } from "../../support/patience.js";

/** Free bytes that the file system reports, of a gigabyte. */
let free = 0;
vi.mock("node:fs/promises", async (original) => ({
  ...(await original<typeof files>()),
  statfs: async () => ({ bavail: free, blocks: 1_000_000_000, bsize: 1 }),
}));

const directory = mkdtempSync(join(tmpdir(), "gwc-reserve-"));
afterEach(() => rmSync(directory, { recursive: true, force: true }));

it("a spool on a disk with little room accepts only records that responses wait for", async () => {
  const context = {
    secret: () => undefined,
    report: () => {},
    metrics: new MetricsRegistry(),
    worker: 1,
    spoolDirectory: directory,
    spoolReserveBytes: 10_000_000,
  };
  free = 100_000_000;
  const options = { maxBytes: 1e9, onFull: "refuse" as const };
  const spool = openSpool({ kind: "test", id: "d1", settings: {} }, options, context);
  const refusal = () =>
    spool.append({ payload: "log" }).then(
      () => undefined,
      (error: Error) => error.message,
    );
  await spool.append({ payload: "one" });
  expect(spool.admits()).toBe(true);
  free = 8_000_000;
  await spool.append({ payload: "asks" }, true);
  expect(await until(refusal)).toContain("the rest of the disk is reserved");
  await spool.append({ payload: "awaited" }, true);
  expect(spool.admits()).toBe(true);
  free = 3_000_000;
  await spool.append({ payload: "asks" }, true);
  await until(() => !spool.admits());
  await spool.append({ payload: "of a request under way" }, true);
  free = 100_000_000;
  await spool.append({ payload: "asks" }, true);
  await until(async () => (await refusal()) === undefined);
  expect(spool.admits()).toBe(true);
  await spool.drain(1_000);
});
