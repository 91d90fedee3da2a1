import "../../../plugins/index.js";
import "../../../plugins/runtime.js";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { compile } from "../../../compiler/index.js";
import { MetricsRegistry } from "../../../runtime/abi/metrics-registry.js";
import { openSpool } from "../../../runtime/logging/spool/writer.js";
import { loadModule } from "../../../runtime/proxy/host/load.js";
import { CLI, gwc, temporaryDirectory } from "../../support/cli.js";
import { until } from "../../support/patience.js";
import { freePort } from "../../support/ports.js";
import { RecordReceiver } from "../../support/record-receiver.js";
import { ProcessGateway } from "../process/gateway.js";

process.env["GW_TEST_KEY"] ??= ProcessGateway.KEY;

let directory: ReturnType<typeof temporaryDirectory>;
let port: number;
const spoolDirectory = () => join(directory.path, "spool");

beforeEach(async () => {
  directory = temporaryDirectory();
  port = await freePort();
});
afterEach(() => directory.remove());

/** Leaves records like a gateway that was stopped while its destination was down. */
async function leave(count: number, id = "destination-1"): Promise<void> {
  const settings = {
    host: "127.0.0.1",
    port,
    sockType: "tcp",
    tls: false,
    framing: "newline",
    timeoutMs: 1_000,
    flushLimit: 4_194_304,
    dropLimit: 1_073_741_824,
    poolSize: 5,
  };
  const context = {
    secret: () => undefined,
    report: () => {},
    metrics: new MetricsRegistry(),
    worker: 0,
    spoolDirectory: spoolDirectory(),
  };
  mkdirSync(spoolDirectory(), { recursive: true });
  const spool = openSpool({ kind: "syslog", id, settings }, { maxBytes: 1e9, onFull: "refuse" }, context);
  const text = (i: number) => `<46>1 - h gwc 1 - - {"path":"/${i}","record_id":"${id}-${i}"}`;
  await Promise.all(Array.from({ length: count }, (_, i) => spool.append({ payload: text(i) })));
  await spool.drain(1_000);
}

const here = () => ["--directory", spoolDirectory()];

/** Runs `gwc` while servers of this process continue. */
async function running(
  ...args: string[]
): Promise<{ status: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [CLI, ...args], { cwd: directory.path });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (text: Buffer) => (stdout += text));
  child.stderr.on("data", (text: Buffer) => (stderr += text));
  const [status] = (await once(child, "close")) as [number | null];
  return { status, stdout, stderr };
}

describe("gwc spool show", () => {
  it("gwc spool show prints the waiting records, their destination and that no shipper runs", async () => {
    await leave(3);
    const { status, stdout } = gwc(directory.path, ["spool", "show", ...here()]);
    expect(status).toBe(0);
    expect(stdout).toContain(`to       syslog 127.0.0.1:${port}`);
    expect(stdout).toMatch(/waiting {2}3 records, \d+ bytes in 1 file/);
    expect(stdout).toContain("shipper  none");
    const json = JSON.parse(gwc(directory.path, ["spool", "show", "--format", "json", ...here()]).stdout);
    expect(json.destinations).toMatchObject([
      { id: "destination-1", kind: "syslog", entries: 3, segments: 1 },
    ]);
  });

  it("gwc spool show finds the spool of a configuration", async () => {
    await leave(1);
    const log = { spool: { path: "spool" } };
    writeFileSync(join(directory.path, "gateway.json"), JSON.stringify({ deployment: { log } }));
    expect(gwc(directory.path, ["spool", "show"]).stdout).toContain("1 record,");
    writeFileSync(join(directory.path, "gateway.json"), "{}");
    expect(gwc(directory.path, ["spool", "show"]).stdout).toContain("no destination has a spool here");
  });
});

it("gwc spool does not treat an unreadable directory as an empty spool", () => {
  for (const command of ["show", "drain", "purge"])
    expect(gwc(directory.path, ["spool", command, "--directory", "absent"])).toMatchObject({
      status: 2,
      stdout: "",
      stderr: expect.stringContaining("directory absent does not exist"),
    });
  writeFileSync(join(directory.path, "file"), "");
  expect(gwc(directory.path, ["spool", "show", "--directory", "file"])).toMatchObject({
    status: 1,
    stdout: "",
    stderr: expect.stringContaining("ENOTDIR"),
  });
});

it("gwc spool refuses --directory together with --config, which would be ignored", () => {
  for (const command of ["show", "drain", "purge"])
    expect(
      gwc(directory.path, ["spool", command, "--directory", ".", "--config", "absent.yaml"]),
    ).toMatchObject({
      status: 2,
      stdout: "",
      stderr: expect.stringMatching(
        /'--directory <directory>' cannot be used with option '-c, --config <path/,
      ),
    });
});

describe("gwc spool drain", () => {
  it("gwc spool drain delivers 2,500 waiting records once", async () => {
    await leave(2_500);
    const receiver = new RecordReceiver();
    receiver.port = port;
    await receiver.start();
    const { status, stdout } = await running("spool", "drain", ...here());
    await receiver.kill();
    expect(status).toBe(0);
    expect(stdout).toContain("all records delivered");
    expect(receiver.copies.size).toBe(2_500);
    expect(receiver.duplicates).toBe(0);
  });

  it("gwc spool drain opens the store of a configuration that has one", async () => {
    await leave(3);
    const log = { spool: { path: "spool" } };
    const deployment = { log, store: { path: "store" } };
    writeFileSync(join(directory.path, "gateway.json"), JSON.stringify({ deployment }));
    const receiver = new RecordReceiver();
    receiver.port = port;
    await receiver.start();
    const { status, stdout, stderr } = await running("spool", "drain");
    await receiver.kill();
    expect({ status, stdout, stderr }).toMatchObject({ status: 0, stderr: "" });
    expect(receiver.copies.size).toBe(3);
  });

  it("gwc spool drain exits with 1 and the reason if records are left, and loses none of them", async () => {
    await leave(7);
    const { status, stderr } = await running("spool", "drain", "--timeout", "8", ...here());
    expect(status).toBe(1);
    expect(stderr).toMatch(/7 records of destination-1 not delivered: .*ECONNREFUSED/);
    expect(gwc(directory.path, ["spool", "show", ...here()]).stdout).toContain("7 records");
  });

  it("gwc spool drain --directory refers to --config for records of a package's logger", async () => {
    await leave(2);
    const file = join(spoolDirectory(), "destination-1", "destination.json");
    writeFileSync(file, readFileSync(file, "utf8").replace('"syslog"', '"redis-logger"'));
    const fact =
      "2 records of destination-1 not delivered: no plugin delivers to a destination of kind redis-logger";
    const bare = await running("spool", "drain", "--timeout", "2", ...here());
    expect(bare.status).toBe(1);
    expect(bare.stderr).toContain(`${fact}; name the configuration with --config, not --directory\n`);
    const log = { spool: { path: "spool" } };
    writeFileSync(join(directory.path, "gateway.json"), JSON.stringify({ deployment: { log } }));
    const configured = await running("spool", "drain", "--timeout", "2");
    expect(configured.status).toBe(1);
    expect(configured.stderr).toContain(`${fact}\n`);
    expect(gwc(directory.path, ["spool", "drain", "--help"]).stdout.replace(/\s+/g, " ")).toContain(
      "no packages of plugins; --config knows them",
    );
  });
});

/** A segment of a writer whose process has ended: process ids are below 2^22 on Linux. */
const ENDED = "0-9999999-a-1.00000001.seg";

describe("gwc spool drain of a damaged spool", () => {
  async function drained(...args: string[]) {
    const receiver = new RecordReceiver();
    receiver.port = port;
    await receiver.start();
    const ended = await running("spool", "drain", ...args);
    await receiver.kill();
    return { ...ended, received: receiver.copies.size };
  }

  it("gwc spool drain exits with 1 and the count of unreadable records, and keeps their file", async () => {
    await leave(200);
    const folder = join(spoolDirectory(), "destination-1");
    const segment = readdirSync(folder).find((name) => name.endsWith(".seg")) ?? "";
    const bytes = readFileSync(join(folder, segment));
    bytes.fill(0, bytes.indexOf('"/100"'), bytes.indexOf('"/110"') + 10);
    // Makes the segment look as if its writer, this process, had ended.
    rmSync(join(folder, segment));
    writeFileSync(join(folder, ENDED), bytes);
    const { status, stdout, stderr, received } = await drained(...here());
    expect({ status, received }).toEqual({ status: 1, received: 189 });
    expect(stdout).toContain("189 records delivered");
    expect(stdout).not.toContain("all records delivered");
    expect(stderr).toContain("11 records of destination-1 lost: 11 unreadable, 0 rejected");
    expect(readdirSync(join(folder, "damaged"))).toEqual([ENDED]);
    expect(gwc(directory.path, ["spool", "show", ...here()]).stdout).toContain(`damaged  ${folder}/damaged`);
  });

  it("gwc spool drain restores a lost destination.json from the configuration", async () => {
    const syslog = { host: "127.0.0.1", port, delivery: "durable" };
    const configuration = {
      deployment: { log: { spool: { path: "spool" } }, store: { path: "store" } },
      global_rules: [{ id: "all", plugins: { syslog } }],
    };
    writeFileSync(join(directory.path, "gateway.json"), JSON.stringify(configuration));
    const sources = [{ name: "g", text: JSON.stringify(configuration), format: "json" as const }];
    const [text] = compile({ sources, environment: {} }).artifact?.modules ?? [];
    const [logger] = (text && loadModule(text).resources) ?? [];
    const id = String(logger?.spooled?.id);
    await leave(5, id);
    rmSync(join(spoolDirectory(), id, "destination.json"));
    const { status, stdout, received } = await drained();
    expect({ status, received }).toEqual({ status: 0, received: 5 });
    expect(stdout).toContain("restored its lost description");
  });

  it("gwc spool drain restores a lost destination.json from the store", async () => {
    const gateway = await ProcessGateway.start({}, { workers: 1 });
    const format = { path: "$uri", record_id: "made-by-the-gateway" };
    const syslog = { host: "127.0.0.1", port, delivery: "durable", log_format: format };
    expect((await gateway.admin("PUT", "/global_rules/all", { plugins: { syslog } })).status).toBe(201);
    const before = directory;
    directory = { path: gateway.directory, remove: before.remove };
    const spool = join(gateway.directory, "store", "spool");
    const described = () =>
      readdirSync(spool).find((name) => existsSync(join(spool, name, "destination.json"))) ?? "";
    const id = await until(() => described() || undefined);
    expect((await gateway.get("/any")).status).toBe(404);
    await until(() => readdirSync(join(spool, id)).some((name) => name.endsWith(".seg")));
    await gateway.stop();
    rmSync(join(spool, id, "destination.json"));
    const { status, stdout, received } = await drained();
    directory = before;
    await gateway.end();
    expect({ status, received }).toEqual({ status: 0, received: 1 });
    expect(stdout).toContain(`${id}: restored its lost description`);
  });
});

describe("gwc spool purge", () => {
  it("gwc spool purge requires a destination or --yes and prints the number of removed records", async () => {
    await leave(4);
    await leave(5, "other");
    expect(gwc(directory.path, ["spool", "purge", ...here()])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("9 records would be lost"),
    });
    expect(gwc(directory.path, ["spool", "purge", "other", ...here()]).stdout).toBe(
      "other: 5 records removed\n",
    );
    expect(gwc(directory.path, ["spool", "purge", "nobody", ...here()]).status).toBe(2);
    rmSync(join(spoolDirectory(), "other"), { recursive: true });
    // An empty variable in a script gives such an argument.
    expect(gwc(directory.path, ["spool", "purge", "", ...here()])).toMatchObject({ status: 2, stdout: "" });
    expect(gwc(directory.path, ["spool", "purge", "--yes", ...here()]).stdout).toContain("4 records removed");
    // This process made the folders and might still write to them, so they stay.
    expect(gwc(directory.path, ["spool", "show", ...here()]).stdout).toContain("waiting  0 records");
  });
});
