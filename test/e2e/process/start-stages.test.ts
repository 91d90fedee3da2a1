import { request } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { until } from "../../support/patience.js";
import { ProcessGateway } from "./gateway.js";

interface Answer {
  status: number;
  body: Record<string, unknown>;
  retryAfter: string | undefined;
}

interface Reason {
  code: string;
  stage?: string;
  since?: string;
}

let gateway: ProcessGateway;
afterEach(() => gateway.end());

/** Enough routes to compile for seconds. */
const ROUTES = {
  routes: Array.from({ length: 2_000 }, (_, n) => ({
    id: `r${n}`,
    uri: `/r${n}/*`,
    plugins: { "proxy-rewrite": { regex_uri: [`^/r${n}/(.*)$`, "/$1"] } },
    upstream: { nodes: { "127.0.0.1:9": 1 } },
  })),
};

function ask(port: number, method: string, path: string): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    const asked = request({ port, method, path, host: "127.0.0.1", agent: false }, (response) => {
      let text = "";
      response.on("data", (data: Buffer) => (text += data));
      response.on("end", () => {
        const body = JSON.parse(text) as Record<string, unknown>;
        resolve({ status: response.statusCode ?? 0, body, retryAfter: response.headers["retry-after"] });
      });
    });
    asked.on("error", () => resolve(undefined));
    asked.end();
  });
}

/** Stages that /status/ready named until it was 200; `live`: those during which /status/live was 200. */
async function stagesUntilReady(began: number): Promise<{ ready: string[]; live: string[] }> {
  const [seen, live] = [new Set<string>(), new Set<string>()];
  await until(async () => {
    const isLive = (await ask(gateway.statusPort, "GET", "/status/live"))?.status === 200;
    const ready = await ask(gateway.statusPort, "GET", "/status/ready");
    if (ready?.status === 200) return true;
    expect(ready?.status ?? 503).toBe(503);
    for (const { code, stage, since } of (ready?.body["reasons"] as Reason[] | undefined) ?? []) {
      if (code !== "starting") continue;
      const at = Date.parse(since ?? "");
      expect([began <= at, at <= Date.now()]).toEqual([true, true]);
      seen.add(stage ?? "");
      if (isLive) live.add(stage ?? "");
    }
    return undefined;
  });
  return { ready: [...seen], live: [...live] };
}

describe("while the configuration compiles", () => {
  it("a compiling gateway is live, names the stage of its start and replies 503 on the admin API", async () => {
    gateway = await ProcessGateway.prepare(ROUTES);
    const began = Date.now();
    gateway.launch();
    const refused = until(async () => {
      const write = await ask(gateway.adminPort, "PUT", "/gw/admin/routes/1");
      return write?.status === 503 ? write : undefined;
    });
    const { ready, live } = await stagesUntilReady(began);
    expect(ready).toContain("compiling");
    expect(live).toContain("compiling");
    expect((await refused).retryAfter).toBe("1");
    // The gateway was ready with the first worker.
    await until(() => gateway.log("ready").length > 0);
    const logged = gateway.log("start_stage").map(({ stage }) => stage);
    expect(logged).toEqual(["settings", "store", "compiling", "publishing", "workers", "services"]);
    expect(gateway.log("start_stage").at(-3)).toMatchObject({ routes: 2_000, after: "compiling" });
  });

  it.each([2, 0])(
    "SIGHUP during the start makes the gateway reload its files afterwards (%i workers)",
    async (workers) => {
      gateway = await ProcessGateway.prepare(ROUTES);
      gateway.launch({ workers });
      await until(() => gateway.errors.includes(workers > 0 ? '"compiling"' : '"settings"'));
      const [first] = ROUTES.routes;
      gateway.write({ routes: [{ ...first, uri: "/changed/*" }] });
      gateway.process.kill("SIGHUP");
      await until(() => gateway.log("reloaded").length > 0);
      await until(async () => (await gateway.get("/changed/a").catch(() => undefined))?.status === 502);
    },
  );

  it("/status/ready is 200 and names the stage of a restarted control while workers serve", async () => {
    gateway = await ProcessGateway.prepare(ROUTES);
    await gateway.open();
    const control = gateway.child("control");
    process.kill(control, "SIGKILL");
    const [statuses, stages] = [new Set<number>(), new Set<string | undefined>()];
    await until(async () => {
      const ready = await ask(gateway.statusPort, "GET", "/status/ready");
      if (ready === undefined) return false;
      statuses.add(ready.status);
      const warnings = ready.body["warnings"] as Reason[];
      for (const { code, stage } of warnings) if (code === "control_missing") stages.add(stage);
      return stages.size > 0 && warnings.length === 0;
    });
    expect([...statuses]).toEqual([200]);
    expect([...stages]).toContain("compiling");
    expect((await gateway.get("/none")).status).toBe(404);
  });
});

describe("a refused start", () => {
  it("a refused start ends with 1 and leaves no listener open", async () => {
    gateway = await ProcessGateway.prepare({ routes: [{ id: "a", uri: "no-path" }] });
    gateway.launch();
    await until(() => gateway.process.exitCode !== null);
    expect(gateway.process.exitCode).toBe(1);
    expect(await ask(gateway.statusPort, "GET", "/status/live")).toBeUndefined();
  });
});
