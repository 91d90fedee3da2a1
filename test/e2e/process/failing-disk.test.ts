import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { compileLibrary, hasCompiler } from "../../support/compiled-library.js";
import { useUpstream } from "../../support/http-upstream.js";
import { Load } from "../../support/load.js";
import { checkMemory } from "../../support/memory-check.js";
import { until } from "../../support/patience.js";
import { exchange } from "../control/admin.js";
import { ProcessGateway } from "./gateway.js";

const SOURCE = fileURLToPath(new URL("./fixtures/failing-disk.c", import.meta.url));

const upstream = useUpstream();
const route = (id: string, size: number) => ({
  uri: `/${id}`,
  plugins: { "response-rewrite": { headers: { set: { "X-Filling": "x".repeat(size) } } } },
  upstream: { nodes: upstream.nodes },
});

describe.runIf(hasCompiler("a failing disk"))("a disk below the store whose writes fail (EIO)", () => {
  let gateway: ProcessGateway;
  let flag: string;
  beforeEach(async () => {
    gateway = await ProcessGateway.prepare({ routes: [] }, { workers: 1 });
    flag = join(gateway.directory, "failing");
    const library = join(gateway.directory, "failing-disk.so");
    compileLibrary(SOURCE, library);
    checkMemory(library);
    vi.stubEnv("FAILING_DISK", flag);
    await gateway.open();
  });
  afterEach(async () => {
    rmSync(flag, { force: true });
    vi.unstubAllEnvs();
    await gateway.end();
  });

  const put = (id: string, size = 100) => gateway.admin("PUT", `/routes/${id}`, route(id, size));
  const statusOf = async (path: string) => (await gateway.get(path)).status;
  /** Messages of `write_failed` warnings in readiness. */
  async function failedWrites(): Promise<string[]> {
    const { json } = await exchange(gateway.statusPort, "GET", "/status/ready");
    const warnings = (json["warnings"] ?? []) as { code: string; message: string }[];
    return warnings.filter(({ code }) => code === "write_failed").map(({ message }) => message);
  }

  /** Waits until a control other than `pid` serves the admin API. */
  const replaced = (pid: number) =>
    until(async () => {
      const isNew = ![0, pid].includes(gateway.child("control"));
      return isNew && (await gateway.admin("GET", "/routes").catch(() => undefined))?.status === 200;
    });

  const REFUSED = [503, "the store rejected the write: the disk failed (EIO)"];
  /** Status and error of a write. */
  async function refusal(id: string, size?: number): Promise<[number, unknown]> {
    const { status, json } = await put(id, size);
    return [status, json["error_msg"]];
  }

  it("control refuses a write with EIO and restarts during traffic, and takes writes once the disk does", async () => {
    expect((await put("kept")).status).toBe(201);
    const load = new Load({ port: gateway.port, path: "/kept" });
    writeFileSync(flag, "");
    const control = gateway.child("control");
    expect(await refusal("lost")).toEqual(REFUSED);
    await replaced(control);
    expect([await statusOf("/kept"), await statusOf("/lost")]).toEqual([200, 404]);
    expect(await failedWrites()).toEqual([expect.stringContaining("the disk failed (EIO)")]);
    rmSync(flag);
    expect((await put("after")).status).toBe(201);
    expect(await failedWrites()).toEqual([]);
    const { requests, failures } = await load.stop();
    expect(failures).toEqual([]);
    expect(requests).toBeGreaterThan(10);
    expect(gateway.log("store_failed")).toHaveLength(1);
    await gateway.stop();
    await gateway.open();
    const statuses = [await statusOf("/kept"), await statusOf("/lost"), await statusOf("/after")];
    expect(statuses).toEqual([200, 404, 200]);
  });

  it("an adoption that the disk fails is refused with 503 and does not count as a refused reload", async () => {
    const [path, id] = ["/adopt/routes/kept", "kept"];
    expect((await put(id)).status).toBe(201);
    gateway.write({ routes: [{ id, ...route(id, 200) }] }, { workers: 1 });
    const control = gateway.child("control");
    writeFileSync(flag, "");
    const { status, json } = await gateway.admin("POST", path);
    expect([status, json["error_msg"]]).toEqual([503, "the store rejected the write: the disk failed (EIO)"]);
    expect(gateway.log("reload_refused")).toEqual([]);
    await replaced(control);
    rmSync(flag);
    expect((await gateway.admin("POST", path)).status).toBe(200);
    expect(await failedWrites()).toEqual([]);
  });

  it("a restarted control that cannot write changed files keeps the running routes and settings", async () => {
    gateway.write({ routes: [{ id: "file", ...route("file", 100) }] }, { workers: 1, allow_trace: true });
    const traced = async () => (await exchange(gateway.port, "TRACE", "/file")).status;
    const control = gateway.child("control");
    writeFileSync(flag, "");
    expect(await refusal("lost")).toEqual(REFUSED);
    await replaced(control);
    expect(gateway.log("last_known_good")).toEqual([
      expect.objectContaining({ reason: expect.stringContaining("the disk failed (EIO)") }),
    ]);
    expect([await statusOf("/file"), await traced()]).toEqual([404, 405]);
    expect(gateway.log("store_failed")).toHaveLength(1);
    const second = gateway.child("control");
    rmSync(flag);
    process.kill(second, "SIGKILL");
    await replaced(second);
    await until(async () => (await traced()) === 200);
    expect(await statusOf("/file")).toBe(200);
    expect(gateway.log("last_known_good")).toHaveLength(1);
  });

  it("repeated failing writes restart control once at first, and again only after a delay", async () => {
    writeFileSync(flag, "");
    const first = gateway.child("control");
    // Resource that takes many pages of the store.
    expect(await refusal("lost", 40_000)).toEqual(REFUSED);
    await replaced(first);
    const second = gateway.child("control");
    expect(await refusal("lost")).toEqual(REFUSED);
    for (let times = 0; times < 20; times += 1)
      expect(await refusal("lost")).toEqual([
        503,
        "the store rejects writes until control has restarted: the disk failed (EIO)",
      ]);
    expect((await gateway.admin("GET", "/routes")).status).toBe(200);
    expect(gateway.child("control")).toBe(second);
    expect(gateway.log("store_failed").map(({ restart_in_ms: ms = 0 }) => Number(ms) > 0)).toEqual([
      false,
      true,
    ]);
  });

  it("an expiry that cannot be written does not restart control; a write of a client does", async () => {
    expect((await gateway.admin("PUT", "/routes/short?ttl=3", route("short", 100))).status).toBe(201);
    writeFileSync(flag, "");
    const first = gateway.child("control");
    const outcomes = () => gateway.log("expired").map(({ outcome }) => outcome);
    const refused = "the store rejects writes until control has restarted: the disk failed (EIO)";
    // The second poll has another outcome.
    await until(() => outcomes().includes(refused) || undefined);
    expect(outcomes()).toEqual([REFUSED[1], refused]);
    expect(gateway.child("control")).toBe(first);
    expect(gateway.log("store_failed")).toEqual([]);
    expect(await refusal("lost")).toEqual([503, refused]);
    await replaced(first);
    const second = gateway.child("control");
    for (let times = 0; times < 20; times += 1)
      expect((await gateway.admin("GET", "/routes")).status).toBe(200);
    rmSync(flag);
    expect((await put("after")).status).toBe(201);
    expect(gateway.child("control")).toBe(second);
    expect(gateway.log("store_failed")).toHaveLength(1);
    expect(gateway.log("child_ended").map(({ child }) => child)).toEqual(["control"]);
  });
});
