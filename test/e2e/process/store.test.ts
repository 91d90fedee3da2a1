import { execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { open } from "lmdb";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { useUpstream } from "../../support/http-upstream.js";
import { until } from "../../support/patience.js";
import { exchange } from "../control/admin.js";
import { ProcessGateway } from "./gateway.js";

const upstream = useUpstream();
let gateway: ProcessGateway;

afterEach(() => gateway.end());

const route = (uri: string) => ({ uri, upstream: { nodes: upstream.nodes } });
const fileRoute = (id: string, uri: string) => ({ id, ...route(uri) });
const body = (size: number) => ({ plugins: { "response-rewrite": { body: "x".repeat(size) } } });
const readiness = () => exchange(gateway.statusPort, "GET", "/status/ready");
/** Message of the warning with the given code, or undefined. */
const warningOf = ({ warnings = [] }: Record<string, unknown>, wanted = "last_known_good") =>
  (warnings as { code: string; message: string }[]).find(({ code }) => code === wanted)?.message;
const storeFile = () => join(gateway.directory, "store", "store.lmdb");

describe("a file size limit below the store", () => {
  it("a write above the file size limit gives 503 and changes nothing, and succeeds with space again", async () => {
    gateway = await ProcessGateway.start({ routes: [fileRoute("file", "/file")] }, { workers: 1 });
    await gateway.admin("PUT", "/routes/kept", route("/kept"));
    await gateway.stop();
    // Limits files to 2 MiB (blocks of 512 bytes), so that writes fail as on a full disk.
    await gateway.open({}, "-f 4096");
    const answers = [];
    for (let n = 0; n < 12; n += 1)
      answers.push(await gateway.admin("PUT", `/services/s${n}`, body(200_000)));
    const refused = answers.findIndex(({ status }) => status === 503);
    expect(refused).toBeGreaterThan(0);
    expect(answers[refused]?.json["error_msg"]).toMatch(/^the store rejected the write: /);
    expect((await gateway.admin("GET", `/services/s${refused}`)).status).toBe(404);
    expect((await gateway.admin("GET", "/routes/kept")).status).toBe(200);
    expect((await gateway.get("/kept")).text).toBe("ok");
    expect((await gateway.get("/file")).text).toBe("ok");
    await gateway.stop();
    await gateway.open();
    expect((await gateway.admin("GET", `/services/s${refused}`)).status).toBe(404);
    expect((await gateway.admin("GET", `/services/s${refused - 1}`)).status).toBe(200);
    expect((await gateway.admin("PUT", `/services/s${refused}`, body(200_000))).status).toBe(201);
  });

  it("a gateway starts without space for the number of a generation, and takes writes with space again", async () => {
    gateway = await ProcessGateway.start({ routes: [fileRoute("file", "/file")] }, { workers: 1 });
    await gateway.admin("PUT", "/routes/kept", route("/kept"));
    await gateway.stop();
    await gateway.open({}, "-f 64");
    expect((await gateway.admin("GET", "/routes/kept")).status).toBe(200);
    expect((await gateway.get("/kept")).text).toBe("ok");
    expect((await gateway.admin("PUT", "/routes/more", route("/more"))).status).toBe(503);
    expect(gateway.log("store_unusable")).toEqual([]);
    await gateway.stop();
    await gateway.open();
    expect((await gateway.admin("PUT", "/routes/more", route("/more"))).status).toBe(201);
  });

  it("a write gives 503 if its generation does not fit on the disk", async () => {
    gateway = await ProcessGateway.start({ routes: [fileRoute("file", "/file")] }, { workers: 1 });
    await gateway.stop();
    await gateway.open({}, "-f 1536");
    const answers = [];
    for (let n = 0; n < 12; n += 1) {
      const { plugins } = body(60_000 + n);
      answers.push(await gateway.admin("PUT", "/routes/big", { ...route(`/big${n}`), plugins }));
    }
    const refused = answers.findIndex(({ status }) => status === 503);
    expect(refused).toBeGreaterThan(0);
    expect(answers[refused]?.json["error_msg"]).toMatch(
      /^the generation cannot be saved: |^the store rejected the write/,
    );
    expect((await gateway.get(`/big${refused}`)).status).toBe(404);
    expect((await gateway.get(`/big${refused - 1}`)).status).toBe(200);
  });
});

describe("a store that cannot be read at start", () => {
  it.each<[string, (file: string) => void]>([
    ["holds garbage", (file) => writeFileSync(file, "this is no database ".repeat(2000))],
    ["was cut in the middle", (file) => truncateSync(file, 8192)],
    ["was emptied", (file) => truncateSync(file, 0)],
    ["was removed", (file) => rmSync(file)],
  ])(
    "a store that %s: the last known good generation runs and readiness gives the reason",
    async (_name, damage) => {
      gateway = await ProcessGateway.start({ routes: [fileRoute("file", "/file")] }, { workers: 1 });
      await gateway.admin("PUT", "/routes/stored", route("/stored"));
      await gateway.stop();
      expect(existsSync(storeFile())).toBe(true);
      damage(storeFile());
      gateway.launch();
      await until(async () => (await gateway.get("/stored").catch(() => undefined))?.text === "ok");
      expect((await gateway.get("/file")).text).toBe("ok");
      const { status, json } = await readiness();
      expect(status).toBe(200);
      expect(warningOf(json)).toMatch(/^the last known good generation \(\d+\) is running: the store in /);
      const write = await gateway.admin("PUT", "/routes/other", route("/other"));
      expect([write.status, write.json["error_msg"]]).toEqual([503, expect.stringContaining("the store in")]);
    },
  );
});

describe("a store that has lost a record", () => {
  it("a store that lost a record runs the last known good generation, and readiness names the record", async () => {
    gateway = await ProcessGateway.start({ routes: [fileRoute("file", "/file")] }, { workers: 1 });
    for (const id of ["kept", "vanished"]) await gateway.admin("PUT", `/routes/${id}`, route(`/${id}`));
    await gateway.stop();
    const raw = open<unknown, string>({ path: storeFile(), encoding: "json" });
    expect(await raw.remove("resource/routes/vanished")).toBe(true);
    await raw.close();
    gateway.launch();
    await until(async () => (await gateway.get("/vanished").catch(() => undefined))?.text === "ok");
    for (const path of ["/kept", "/file"]) expect((await gateway.get(path)).text).toBe("ok");
    const { status, json } = await readiness();
    expect(status).toBe(200);
    expect(warningOf(json)).toMatch(
      /^the last known good generation \(\d+\) is running: the store in .* 1 of 2 resources can be read; missing: routes\/vanished$/,
    );
    const write = await gateway.admin("PUT", "/routes/other", route("/other"));
    expect([write.status, write.json["error_msg"]]).toEqual([
      503,
      expect.stringContaining("missing: routes/vanished"),
    ]);
  });
});

/** Mounting requires root and a system that allows it. */
const mounts = ((): boolean => {
  const directory = mkdtempSync(join(tmpdir(), "gwc-mount-"));
  const mounted = spawnSync("mount", ["-t", "tmpfs", "tmpfs", directory]).status === 0;
  if (mounted) spawnSync("umount", [directory]);
  rmSync(directory, { recursive: true });
  return mounted;
})();

const reason = mounts ? undefined : "mount -t tmpfs is refused here";

describe.skipIf(reason !== undefined)(`a file system of the store${reason ? ` (${reason})` : ""}`, () => {
  let store: string;
  beforeEach(async () => {
    gateway = await ProcessGateway.prepare({ routes: [fileRoute("file", "/file")] }, { workers: 1 });
    store = join(gateway.directory, "store");
    mkdirSync(store);
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", store]);
    await gateway.open();
    expect((await gateway.admin("PUT", "/routes/stored", route("/stored"))).status).toBe(201);
  });
  afterEach(async () => {
    await gateway.stop();
    execFileSync("umount", [store]);
  });

  const serves = async () => {
    expect((await gateway.get("/file")).text).toBe("ok");
    expect((await gateway.get("/stored")).text).toBe("ok");
  };

  it("a full file system of the store gives 503 to writes and takes them with space again", async () => {
    const filler = join(store, "filler");
    spawnSync("dd", ["if=/dev/zero", `of=${filler}`, "bs=4096"]);
    const refused = await gateway.admin("PUT", "/routes/more", { ...route("/more"), ...body(300_000) });
    expect(refused.status).toBe(503);
    expect((await gateway.get("/more")).status).toBe(404);
    expect((await gateway.admin("GET", "/routes/more")).status).toBe(404);
    await serves();
    const full = await readiness();
    expect([full.status, warningOf(full.json, "write_failed")]).toEqual([
      200,
      expect.stringMatching(/^the last write failed: .*no space left/),
    ]);
    rmSync(filler);
    expect((await gateway.admin("PUT", "/routes/more", route("/more"))).status).toBe(201);
    expect((await readiness()).json["warnings"]).toEqual([]);
    expect((await gateway.get("/more")).text).toBe("ok");
  });

  it("a start on a full file system of the store serves the current files", async () => {
    await gateway.stop();
    spawnSync("dd", ["if=/dev/zero", `of=${join(store, "filler")}`, "bs=4096"]);
    gateway.write({ routes: [fileRoute("file", "/file"), fileRoute("new", "/new")] }, { workers: 1 });
    gateway.launch();
    await until(async () => (await gateway.get("/stored").catch(() => undefined))?.text === "ok");
    await serves();
    expect((await gateway.get("/new")).text).toBe("ok");
    expect((await gateway.admin("PUT", "/routes/more", { ...route("/more"), ...body(300_000) })).status).toBe(
      503,
    );
    rmSync(join(store, "filler"));
    gateway.process.kill("SIGHUP");
    await until(() => gateway.log("reloaded").length > 0);
    expect((await gateway.get("/new")).text).toBe("ok");
    expect((await gateway.admin("PUT", "/routes/more", route("/more"))).status).toBe(201);
  });

  it("a read-only file system of the store gives 503 to writes while the last known good generation runs", async () => {
    await gateway.stop();
    execFileSync("mount", ["-o", "remount,ro", store]);
    gateway.launch();
    await until(async () => (await gateway.get("/stored").catch(() => undefined))?.text === "ok");
    await serves();
    const { status, json } = await readiness();
    expect([status, warningOf(json)]).toEqual([200, expect.stringMatching(/read-only/i)]);
    const write = await gateway.admin("PUT", "/routes/more", route("/more"));
    expect([write.status, write.json["error_msg"]]).toEqual([503, expect.stringMatching(/read-only/i)]);
    execFileSync("mount", ["-o", "remount,rw", store]);
    await gateway.stop();
    await gateway.open();
    await serves();
    expect((await gateway.admin("PUT", "/routes/more", route("/more"))).status).toBe(201);
  });
});

describe("a store that another gateway uses", () => {
  it("a store in use by another gateway is refused, and a killed gateway does not block its store", async () => {
    gateway = await ProcessGateway.start({ routes: [fileRoute("file", "/file")] }, { workers: 1 });
    const second = await ProcessGateway.prepare({ routes: [fileRoute("file", "/file")] }, { workers: 1 });
    try {
      second.write(
        { deployment: { store: { type: "lmdb", path: join(gateway.directory, "store") } } },
        { workers: 1 },
      );
      second.launch();
      await once(second.process, "exit");
      expect(second.process.exitCode).toBe(1);
      expect(second.said).toMatch(
        /the store in \S+ is in use by another gateway: stop it, or choose another/,
      );
      expect((await gateway.admin("PUT", "/routes/x", route("/x"))).status).toBe(201);
      process.kill(gateway.child("control"), "SIGKILL");
      await until(() => gateway.ready().catch(() => false));
      expect((await gateway.admin("PUT", "/routes/x", route("/y"))).status).toBe(200);
      gateway.process.kill("SIGKILL");
      await once(gateway.process, "exit");
      await gateway.open();
      expect((await gateway.get("/y")).text).toBe("ok");
    } finally {
      await second.end();
    }
  });
});

describe("invalid files at the start", () => {
  it("invalid files end a first start with their diagnostics", async () => {
    gateway = await ProcessGateway.start({ routes: [fileRoute("file", "/file")] }, { workers: 1 });
    await gateway.stop();
    rmSync(join(gateway.directory, "store"), { recursive: true });
    gateway.write({ routes: [{ id: "file", uri: "/file", upstream_id: "nowhere" }] }, { workers: 1 });
    gateway.launch();
    const [code] = await once(gateway.process, "exit");
    expect(code).toBe(1);
    expect(gateway.said).toMatch(/gateway\.json:1:\d+ error GW3010: .*nowhere/);
  });

  it("invalid files at a later start make the last known good generation run until a reload of valid ones", async () => {
    gateway = await ProcessGateway.start({ routes: [fileRoute("file", "/file")] }, { workers: 1 });
    await gateway.admin("PUT", "/routes/both", route("/stored"));
    await gateway.stop();
    gateway.write({ routes: [fileRoute("both", "/from-file")] }, { workers: 1 });
    gateway.launch();
    await until(async () => (await gateway.get("/stored").catch(() => undefined))?.text === "ok");
    expect((await gateway.get("/file")).text).toBe("ok");
    const { status, json } = await readiness();
    expect(status).toBe(200);
    expect(warningOf(json)).toMatch(/both/);
    expect(warningOf(json)).toMatch(/gateway\.json/);
    expect((await gateway.admin("PUT", "/routes/x", route("/x"))).status).toBe(503);
    gateway.write({ routes: [fileRoute("file", "/mended")] }, { workers: 1 });
    gateway.process.kill("SIGHUP");
    await until(async () => warningOf((await readiness()).json) === undefined);
    expect((await gateway.get("/mended")).text).toBe("ok");
    expect((await gateway.get("/stored")).text).toBe("ok");
    expect((await gateway.get("/file")).status).toBe(404);
    expect((await gateway.admin("PUT", "/routes/x", route("/x"))).status).toBe(201);
  });
});

describe("SIGHUP", () => {
  it("SIGHUP takes changed files and refuses broken ones completely", async () => {
    gateway = await ProcessGateway.start({ routes: [fileRoute("file", "/file")] }, { workers: 1 });
    gateway.write({ routes: [fileRoute("file", "/changed")] }, { workers: 1 });
    gateway.process.kill("SIGHUP");
    await until(async () => (await gateway.get("/changed")).status === 200);
    gateway.write(
      { routes: [fileRoute("file", "/third"), { id: "broken", uri: "no-slash" }] },
      { workers: 1 },
    );
    gateway.process.kill("SIGHUP");
    await until(() => gateway.log("reload_refused").length > 0);
    expect((await gateway.get("/changed")).status).toBe(200);
    expect((await gateway.get("/third")).status).toBe(404);
    expect((await readiness()).status).toBe(200);
  });
});
