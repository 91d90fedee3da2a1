import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { useUpstream } from "../../support/http-upstream.js";
import { checkMemory } from "../../support/memory-check.js";
import { until } from "../../support/patience.js";
import { noMount, SmallDisk } from "../../support/small-disk.js";
import { exchange } from "../control/admin.js";
import { ProcessGateway } from "./gateway.js";

const upstream = useUpstream();
const route = (uri: string) => ({ uri, upstream: { nodes: upstream.nodes } });
const large = (uri: string, size: number) => ({
  ...route(uri),
  plugins: { "response-rewrite": { body: "x".repeat(size) } },
});

describe.skipIf(noMount !== undefined)(`a full disk below the store${noMount ? ` (${noMount})` : ""}`, () => {
  let gateway: ProcessGateway;
  let disk: SmallDisk;
  beforeEach(async () => {
    checkMemory();
    gateway = await ProcessGateway.prepare({ routes: [{ id: "file", ...route("/file") }] }, { workers: 1 });
    const store = join(gateway.directory, "store");
    mkdirSync(store);
    disk = new SmallDisk(store, "4m");
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await gateway.stop();
    disk.unmount();
    await gateway.end();
  });

  const ids = Array.from({ length: 20 }, (_, n) => `r${n}`);
  const put = (id: string, size: number) => gateway.admin("PUT", `/routes/${id}`, large(`/${id}`, size));
  const statuses = async (answers: Iterable<Promise<{ status: number }>>) => [
    ...new Set((await Promise.all(answers)).map(({ status }) => status)),
  ];

  /** @returns distinct replies to the writes */
  async function refuse(writes: number): Promise<string[]> {
    // Uses up the allocated space above the reserve.
    await until(async () => (await put("filling", 0)).status === 503);
    const refused = new Set<string>();
    for (let n = 0; n < writes; n += 1) {
      const { status, json } = await put(`more${n}`, (n % 10) * 5_000);
      refused.add(`${status} ${String(json["error_msg"]).split(": ").at(-1)}`);
    }
    return [...refused];
  }

  it("a store on a full disk refuses a hundred writes and takes deletes; with space again it takes writes", async () => {
    await gateway.open();
    expect(await statuses(ids.map((id) => put(id, 3_000)))).toEqual([201]);
    const control = gateway.child("control");
    disk.fill();
    expect(await refuse(100)).toEqual(["503 no space left on the disk (ENOSPC)"]);
    for (const id of ids.slice(0, 19))
      expect((await gateway.admin("DELETE", `/routes/${id}`)).status).toBe(200);
    expect((await gateway.get("/r0")).status).toBe(404);
    expect((await gateway.get("/r19")).text).toMatch(/^x+$/);
    disk.empty();
    expect((await put("more", 20_000)).status).toBe(201);
    expect(gateway.child("control")).toBe(control);
    expect(gateway.errors).not.toMatch(/Write error|corrupted|malloc/);
  });

  it("a gateway starts five times on a full disk, with all acknowledged writes and with deletes", async () => {
    await gateway.open();
    expect(await statuses(ids.map((id) => put(id, 3_000)))).toEqual([201]);
    disk.fill();
    for (let start = 0; start < 5; start += 1) {
      await gateway.stop();
      await gateway.open();
      expect(await gateway.ready()).toBe(true);
      const [gone = "", kept = ""] = ids.slice(start);
      expect((await gateway.admin("DELETE", `/routes/${gone}`)).status).toBe(200);
      expect([(await gateway.get(`/${gone}`)).status, (await gateway.get(`/${kept}`)).status]).toEqual([
        404, 200,
      ]);
      expect(await refuse(5)).toEqual(["503 no space left on the disk (ENOSPC)"]);
      expect(gateway.errors).not.toMatch(/Write error|corrupted|malloc|store_unusable/);
    }
  });

  it("/status/ready warns of a full disk until a write succeeds, and a reload on it counts as failed", async () => {
    await gateway.open();
    expect(await statuses(ids.map((id) => put(id, 3_000)))).toEqual([201]);
    const isWarned = async () => {
      const { json } = await exchange(gateway.statusPort, "GET", "/status/ready");
      return ((json["warnings"] ?? []) as { code: string }[]).some(({ code }) => code === "write_failed");
    };
    const failures = async () => {
      const { text } = await exchange(gateway.metricsPort, "GET", "/gw/prometheus/metrics");
      return Number(/gw_config_writes_total\{outcome="failed"\} (\d+)/.exec(text)?.[1]);
    };
    const reload = async (event: string) => {
      const { length } = gateway.log(event);
      gateway.process.kill("SIGHUP");
      await until(() => gateway.log(event).length > length);
    };
    disk.fill();
    await refuse(1);
    expect(await isWarned()).toBe(true);
    await reload("reloaded");
    expect(await isWarned()).toBe(true);
    const before = await failures();
    gateway.write({ routes: [{ id: "file", ...large("/file", 200_000) }] }, { workers: 1 });
    await reload("reload_refused");
    expect([await isWarned(), await failures()]).toEqual([true, before + 1]);
    disk.empty();
    await reload("reloaded");
    expect(await isWarned()).toBe(false);
  });

  it("a disk that is full before the first start is logged, and a start with space again takes writes", async () => {
    disk.fill();
    gateway.launch();
    await until(() => gateway.log("store_unusable").length > 0);
    expect(gateway.log("store_unusable")[0]?.["reason"]).toMatch(/no space left/i);
    await gateway.stop();
    disk.empty();
    await gateway.open();
    expect((await put("more", 20_000)).status).toBe(201);
  });
});
