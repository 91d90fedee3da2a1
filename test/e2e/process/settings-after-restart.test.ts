import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { useUpstream } from "../../support/http-upstream.js";
import { until } from "../../support/patience.js";
import { exchange } from "../control/admin.js";
import { ProcessGateway } from "./gateway.js";

const OTHER_KEY = "key-after-the-reload";
const upstream = useUpstream((_, response) => response.end("hello"));
let gateway: ProcessGateway;

const ROUTES = () => ({ routes: [{ id: "r", uri: "/a/*", upstream: { nodes: upstream.nodes } }] });
/** Configuration whose admin API has the other key. */
const renewed = (resources: object = ROUTES()) => ({
  ...resources,
  deployment: {
    admin: {
      admin_listen: { ip: "127.0.0.1", port: gateway.adminPort },
      admin_key: [{ name: "other", key: OTHER_KEY, role: "admin" }],
    },
    store: { type: "lmdb", path: "store" },
  },
});
const GW = { path: { escaped_slashes: "refuse" }, limits: { target_bytes: 100 } };

beforeEach(async () => {
  gateway = await ProcessGateway.start(ROUTES());
});
afterEach(() => gateway.end());

/** Statuses of a read of the admin API with the first key and with the other one. */
const admin = async () => [await statusWith(ProcessGateway.KEY), await statusWith(OTHER_KEY)];
const statusWith = async (key: string) => {
  const headers = { "X-API-KEY": key };
  return (await exchange(gateway.adminPort, "GET", "/gw/admin/routes", undefined, headers)).status;
};
/**
 * Distinct statuses of an escaped slash and of a long target on several connections, which spread over all
 * workers.
 */
const judged = async () => {
  const targets = ["/a/b%2Fc", `/a/${"x".repeat(100)}`];
  const all = await Promise.all(
    [1, 2, 3, 4, 5, 6].map(() => Promise.all(targets.map((path) => gateway.get(path)))),
  );
  return [...new Set(all.map((answers) => answers.map(({ status }) => status).join(" ")))];
};
const reload = async () => {
  const { length } = gateway.log("reloaded");
  gateway.process.kill("SIGHUP");
  await until(() => gateway.log("reloaded").length > length);
};
/** Kills control; resolves when its successor serves. */
async function killControl(between: () => void = () => {}, before = gateway.child("control")): Promise<void> {
  process.kill(before, "SIGKILL");
  const { length } = gateway.log("ready");
  between();
  await until(() => gateway.log("ready").length > length);
  expect(gateway.child("control")).not.toBe(before);
  // The start responder may still accept connections for a moment.
  await until(async () => !(await admin()).includes(503));
}

/** Number of commits in the log of generations, plus one. */
function commits(): number {
  const directory = join(gateway.directory, "store/generations");
  const names = readdirSync(directory).filter((name) => name.endsWith(".jsonl"));
  const all = names.map((name) => readFileSync(join(directory, name), "utf8")).join("");
  return all.split('{"commit":').length;
}
/** Routes of the start and one more. */
const MORE = (upstreams: object[] = []) => ({
  routes: [...ROUTES().routes, { id: "more", uri: "/more", upstream: { nodes: upstream.nodes } }],
  upstreams,
});
const statusOf = async (path: string) => (await gateway.get(path)).status;

describe("a restarted control", () => {
  it("a restarted control has the admin keys of the last reload and leaves path rules and limits unchanged", async () => {
    expect([await admin(), await judged()]).toEqual([[200, 401], ["200 200"]]);
    gateway.write(renewed(), GW);
    await reload();
    await expect.poll(judged).toEqual(["400 414"]);
    expect(await admin()).toEqual([401, 200]);
    for (let times = 0; times < 2; times++) {
      await killControl();
      expect([await admin(), await judged()]).toEqual([[401, 200], ["400 414"]]);
    }
    for (const { pid } of await gateway.workers()) process.kill(pid, "SIGKILL");
    await until(() => gateway.ready().catch(() => false));
    expect(await judged()).toEqual(["400 414"]);
  });

  it("a restarted control never accepts a replaced admin key, not even during its start", async () => {
    gateway.write(renewed(), GW);
    await reload();
    const seen = new Set<number>();
    let isOver = false;
    const asking = async () => {
      while (!isOver) seen.add(await statusWith(ProcessGateway.KEY).catch(() => 503));
    };
    const asked = [asking(), asking()];
    await killControl();
    gateway.write({ routes: [{ id: "broken" }] });
    await killControl();
    isOver = true;
    await Promise.all(asked);
    expect([...seen]).not.toContain(200);
  });

  it("a restarted control applies changed settings without a new generation", async () => {
    gateway.write(renewed(), GW);
    await killControl();
    expect([await admin(), await judged()]).toEqual([[401, 200], ["400 414"]]);
    expect(gateway.log("ready").map(({ generation }) => generation)).toEqual([1, 1]);
  });

  it("a restarted control runs the last known good generation with the settings of the last reload", async () => {
    gateway.write(renewed(), GW);
    await reload();
    gateway.write({ routes: [{ id: "broken" }] });
    await killControl();
    expect(gateway.log("last_known_good")).toHaveLength(1);
    expect([await admin(), await judged()]).toEqual([[401, 200], ["400 414"]]);
  });

  it("a SIGHUP without a control makes the next control reload the settings", async () => {
    await killControl(() => {
      gateway.write(renewed(), GW);
      gateway.process.kill("SIGHUP");
    });
    await expect.poll(admin).toEqual([401, 200]);
    await expect.poll(judged).toEqual(["400 414"]);
    expect(gateway.log("reloaded")).toHaveLength(1);
  });

  it("a restarted control applies changed routes and settings, and later controls and workers have them", async () => {
    gateway.write(renewed(MORE()), { ...GW, workers: 3 });
    await killControl();
    expect([await admin(), await judged(), await statusOf("/more")]).toEqual([[401, 200], ["400 414"], 200]);
    expect(gateway.log("restart_needed").map(({ settings }) => settings)).toEqual([["gw.workers"]]);
    gateway.write({ routes: [{ id: "broken" }] });
    await killControl();
    expect(gateway.log("last_known_good")).toHaveLength(1);
    for (const { pid } of await gateway.workers()) process.kill(pid, "SIGKILL");
    await until(() => gateway.ready().catch(() => false));
    expect([await admin(), await judged(), await statusOf("/more")]).toEqual([[401, 200], ["400 414"], 200]);
  });

  it("a control that is killed during an adoption applies its settings and routes after the restart", async () => {
    expect((await gateway.admin("PUT", "/upstreams/adopted", { nodes: upstream.nodes })).status).toBe(201);
    gateway.write(renewed(MORE([{ id: "adopted", nodes: upstream.nodes }])), GW);
    const [before, control] = [commits(), gateway.child("control")];
    const adopting = gateway.admin("POST", "/adopt/upstreams/adopted").catch(() => undefined);
    while (commits() === before) await new Promise(setImmediate);
    await killControl(undefined, control);
    await adopting;
    expect([await admin(), await judged(), await statusOf("/more")]).toEqual([[401, 200], ["400 414"], 200]);
  });

  it("a restarted control takes neither routes nor settings of files with invalid settings", async () => {
    gateway.write({ ...renewed(MORE()), captcha: { limits: { sessions_soft: 301 } } }, GW);
    await killControl();
    const [{ reason } = {}] = gateway.log("last_known_good");
    expect(reason).toBe("captcha.limits.sessions_soft must not be above captcha.limits.sessions_hard");
    expect([await admin(), await judged(), await statusOf("/more")]).toEqual([[200, 401], ["200 200"], 404]);
    gateway.write(renewed(MORE()), GW);
    await reload();
    await expect.poll(judged).toEqual(["400 414"]);
    expect([await admin(), await statusOf("/more")]).toEqual([[401, 200], 200]);
  });

  it("a restarted control has the listeners, store and spool of the start even if a reload changed them", async () => {
    const spool = { path: "elsewhere", max_bytes: 1_073_741_824 };
    gateway.write(
      {
        ...ROUTES(),
        deployment: { ...renewed().deployment, store: { type: "lmdb", path: "other" }, log: { spool } },
        plugin_attr: {
          prometheus: { export_addr: { ip: "127.0.0.1", port: gateway.metricsPort }, export_uri: "/other" },
        },
      },
      { node_listen: [{ ip: "127.0.0.1", port: 1 }] },
    );
    await reload();
    const metrics = async (path: string) => (await exchange(gateway.metricsPort, "GET", path)).status;
    const named = ["gw.node_listen", "plugin_attr.prometheus", "deployment.store", "deployment.log.spool"];
    const lines = () => gateway.log("restart_needed").map(({ settings }) => settings);
    for (const told of [1, 2]) {
      if (told > 1) await killControl();
      expect(lines()).toEqual(Array.from({ length: told }, () => named));
      expect(await admin()).toEqual([401, 200]);
      expect([await metrics("/gw/prometheus/metrics"), await metrics("/other")]).toEqual([200, 404]);
    }
    expect(gateway.log("store_unusable")).toEqual([]);
    await reload();
    expect(lines()).toEqual([named, named, named]);
  });
});
