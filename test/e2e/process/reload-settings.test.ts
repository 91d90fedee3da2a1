import { Agent, request } from "node:http";
import { afterEach, expect, it } from "vitest";
import { until } from "../../support/patience.js";
import { freePort } from "../../support/ports.js";
import { exchange } from "../control/admin.js";
import { ProcessGateway } from "./gateway.js";

let gateway: ProcessGateway;
afterEach(() => gateway.end());

const ROUTE = { id: "r", uri: "/a/*", upstream: { nodes: { "127.0.0.1:9": 1 } } };

it("a reload applies a changed gw.path in every worker", async () => {
  gateway = await ProcessGateway.start({ routes: [ROUTE] }, { workers: 2 });
  const status = async () => (await exchange(gateway.port, "GET", "/a/b%2Fc")).status;
  expect(await status()).toBe(502);
  gateway.write({ routes: [ROUTE] }, { workers: 2, path: { escaped_slashes: "refuse" } });
  gateway.process.kill("SIGHUP");
  const six = () => Promise.all([1, 2, 3, 4, 5, 6].map(status));
  await expect.poll(six).toEqual(Array(6).fill(400));
  gateway.write({ routes: [ROUTE] }, { workers: 2 });
  gateway.process.kill("SIGHUP");
  await expect.poll(six).toEqual(Array(6).fill(502));
  expect(gateway.log("restart_needed")).toEqual([]);
});

it("a reload names changed settings that need a restart", async () => {
  gateway = await ProcessGateway.start({ routes: [ROUTE] }, { workers: 1 });
  const keyring = ["0123456789abcdef"];
  const ssl = { listen: [await freePort()] };
  gateway.write(
    { routes: [ROUTE] },
    { workers: 2, ssl, drain: { timeout: 5 }, data_encryption: { keyring } },
  );
  gateway.process.kill("SIGHUP");
  const [line] = await until(() => {
    const lines = gateway.log("restart_needed");
    return lines.length > 0 ? lines : undefined;
  });
  expect(line?.["settings"]).toEqual([
    "gw.ssl.listen",
    "gw.workers",
    "gw.drain",
    "gw.data_encryption.keyring",
  ]);
});

it("a reload names a setting that needs a restart until the setting is restored", async () => {
  gateway = await ProcessGateway.start({ routes: [ROUTE] }, { workers: 1 });
  const reload = async (gw: Record<string, unknown>) => {
    const { length } = gateway.log("reloaded");
    gateway.write({ routes: [ROUTE] }, gw);
    gateway.process.kill("SIGHUP");
    await until(() => gateway.log("reloaded").length > length);
    return gateway.log("restart_needed").length;
  };
  expect(await reload({ workers: 2 })).toBe(1);
  expect(await reload({ workers: 2, allow_trace: true })).toBe(2);
  expect(await reload({ workers: 1, allow_trace: true })).toBe(2);
});

it("a reload applies gw.limits to open connections", async () => {
  gateway = await ProcessGateway.start({ routes: [ROUTE] }, { workers: 1 });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const status = () =>
    new Promise<string>((resolve, reject) => {
      const asked = request({ agent, port: gateway.port, path: `/a/${"x".repeat(100)}` }, (response) => {
        response.resume();
        response.on("end", () => resolve(`${response.statusCode} ${asked.reusedSocket}`));
      });
      asked.on("error", reject).end();
    });
  try {
    expect(await status()).toBe("502 false");
    gateway.write({ routes: [ROUTE] }, { workers: 1, limits: { target_bytes: 100 } });
    gateway.process.kill("SIGHUP");
    const answers: string[] = [];
    await until(async () => answers.push(await status()) > 0 && answers.at(-1)?.startsWith("414"));
    expect(new Set(answers.map((answer) => answer.split(" ")[1]))).toEqual(new Set(["true"]));
  } finally {
    agent.destroy();
  }
});
