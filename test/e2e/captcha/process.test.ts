import { once } from "node:events";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { tokenFrom } from "../../support/captcha-visitor.js";
import { until } from "../../support/patience.js";
import { freePort } from "../../support/ports.js";
import { exchange } from "../control/admin.js";
import { ProcessGateway } from "../process/gateway.js";
import { CaptchaGateway, SITE_KEY, siteKey } from "./captcha-gateway.js";

let captcha: CaptchaGateway;
afterEach(() => captcha.end());

const isGone = (pid: number) => until(() => !readdirSync("/proc").includes(String(pid)));

/** Process id of the new launcher after a handover, which is no child of this test. */
async function successorOf(gateway: ProcessGateway): Promise<number> {
  const [worker] = await gateway.workers();
  const status = readFileSync(`/proc/${worker?.pid}/status`, "utf8");
  return Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]);
}

/** A POST verification whose body arrives in two halves, the second one after a call of `finish`. */
function halfVerification({ port, apiKey }: CaptchaGateway, token: string) {
  const body = new URLSearchParams({ jwt: token }).toString();
  const socket = connect(port, "127.0.0.1");
  let text = "";
  socket.setEncoding("latin1").on("data", (chunk: string) => (text += chunk));
  const fields = `Host: x\r\nX-Api-Key: ${apiKey}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}`;
  const begun = new Promise<void>((resolve) =>
    socket.write(`POST /${SITE_KEY}/verify HTTP/1.1\r\n${fields}\r\n\r\n${body.slice(0, 20)}`, () =>
      resolve(),
    ),
  );
  const answer = once(socket, "close").then(() => text);
  return { begun, answer, finish: () => socket.write(body.slice(20)) };
}

describe("the captcha's process", () => {
  it("the captcha does not run without its section", async () => {
    const gateway = await ProcessGateway.start({}, { workers: 1 });
    captcha = Object.assign(Object.create(CaptchaGateway.prototype), { gateway }) as CaptchaGateway;
    expect(captcha.gateway.child("captcha")).toBe(0);
    expect(gateway.output).not.toContain("captcha");
    expect((await gateway.admin("GET", "/captcha/stats")).status).toBe(404);
    expect((await captcha.ready()).captcha).toEqual({});
  });

  it("the captcha serves at its own listener, its address is printed, and it is ready with the gateway", async () => {
    captcha = await CaptchaGateway.start();
    expect(captcha.gateway.output).toContain(`captcha  ${captcha.url}\n`);
    expect(await captcha.ready()).toEqual({ status: 200, captcha: { up: true } });
    expect((await exchange(captcha.port, "GET", "/captcha.js")).status).toBe(200);
    const token = await tokenFrom(captcha.url, SITE_KEY);
    const answer = await captcha.verify(token);
    expect([answer.status, answer.json["success"]]).toEqual([200, true]);
    const unsafe = captcha.gateway.log("captcha_unsafe").map(({ reason }) => reason);
    expect(unsafe).toEqual([expect.stringContaining("only browsers of this machine reach")]);
  });

  it("the captcha uses a write of the admin API as soon as its response arrives", async () => {
    captcha = await CaptchaGateway.start();
    const { gateway } = captcha;
    const token = await tokenFrom(captcha.url, SITE_KEY);
    await gateway.admin("PUT", "/captcha/site-keys/sk_written_late", siteKey());
    expect((await captcha.verify(token, { path: "sk_written_late" })).json["error"]).toBe("path_mismatch");
    const own = await tokenFrom(captcha.url, "sk_written_late");
    const issued = await gateway.admin("POST", "/captcha/api-keys", { customer: "shop" });
    const apiKey = String(issued.json["secret"]);
    expect((await captcha.verify(own, { apiKey, path: "sk_written_late" })).json["success"]).toBe(true);
    const id = apiKey.split("_")[1];
    expect((await gateway.admin("DELETE", `/captcha/api-keys/${id}`)).status).toBe(200);
    expect((await captcha.verify(token, { apiKey })).status).toBe(401);
    await gateway.admin("DELETE", "/captcha/site-keys/sk_written_late");
    await expect(tokenFrom(captcha.url, "sk_written_late")).rejects.toThrow("invalid_sitekey");
  });

  it("a killed captcha is restarted with its claims, signing keys and API keys", async () => {
    captcha = await CaptchaGateway.start();
    const [used, fresh] = [await tokenFrom(captcha.url, SITE_KEY), await tokenFrom(captcha.url, SITE_KEY)];
    await captcha.verify(used);
    const killed = captcha.gateway.child("captcha");
    process.kill(killed, "SIGKILL");
    await isGone(killed);
    await until(async () => (await captcha.ready()).captcha.up);
    expect(captcha.gateway.child("captcha")).not.toBe(killed);
    expect((await captcha.verify(used)).json).toMatchObject({ success: false, reason: "already_used" });
    expect((await captcha.verify(fresh)).json["success"]).toBe(true);
  });

  it("[A23] a restarted captcha with a memory store rejects all earlier tokens", async () => {
    captcha = await CaptchaGateway.start({ store: { type: "memory" } });
    const [used, fresh] = [await tokenFrom(captcha.url, SITE_KEY), await tokenFrom(captcha.url, SITE_KEY)];
    expect((await captcha.verify(used)).json["success"]).toBe(true);
    const killed = captcha.gateway.child("captcha");
    process.kill(killed, "SIGKILL");
    await isGone(killed);
    await until(async () => (await captcha.ready()).captcha.up);
    for (const token of [used, fresh])
      expect((await captcha.verify(token)).json).toMatchObject({
        error: "invalid_jwt",
        reason: "unknown_key",
      });
    expect((await captcha.verify(await tokenFrom(captcha.url, SITE_KEY))).json["success"]).toBe(true);
  });

  it("the captcha keeps its configuration without control, and accepts changes from the next control", async () => {
    captcha = await CaptchaGateway.start();
    const { gateway } = captcha;
    const before = captcha.gateway.child("captcha");
    const killed = captcha.gateway.child("control");
    process.kill(killed, "SIGKILL");
    for (let n = 0; n < 5; n++) {
      const token = await tokenFrom(captcha.url, SITE_KEY);
      expect((await captcha.verify(token)).json["success"]).toBe(true);
    }
    await until(async () => (await captcha.ready().catch(() => undefined))?.captcha.up);
    expect(captcha.gateway.child("control")).not.toBe(killed);
    expect(captcha.gateway.child("captcha")).toBe(before);
    expect((await gateway.admin("PUT", "/captcha/site-keys/sk_after_kill", siteKey())).status).toBe(201);
    expect(await tokenFrom(captcha.url, "sk_after_kill")).toBeTypeOf("string");
  });

  it("the captcha finishes a request in flight when the gateway stops", async () => {
    captcha = await CaptchaGateway.start();
    const token = await tokenFrom(captcha.url, SITE_KEY);
    const slow = halfVerification(captcha, token);
    await slow.begun;
    // The first half has arrived before this response.
    await exchange(captcha.port, "GET", "/healthz");
    captcha.gateway.process.kill("SIGTERM");
    // The captcha is stopped after the workers.
    await until(() => captcha.gateway.child("worker") === 0);
    await new Promise((resolve) => setTimeout(resolve, 100));
    slow.finish();
    expect(await slow.answer).toMatch(/^HTTP\/1\.1 200 [\s\S]*"success":true/);
    expect(await captcha.gateway.stop()).toBe(0);
  });

  it("a captcha that cannot start does not stop the gateway: its reason is in /status/ready, and it is retried", async () => {
    captcha = await CaptchaGateway.start({ store: { path: "captcha-store" } });
    const { gateway } = captcha;
    await gateway.stop();
    const place = join(gateway.directory, "captcha-store");
    rmSync(place, { recursive: true });
    writeFileSync(place, "a file in the way");
    await gateway.open();
    const { status, captcha: shown } = await captcha.ready();
    expect([status, shown.up]).toEqual([200, false]);
    expect(shown.reason).toMatch(/./);
    const page = () => exchange(gateway.metricsPort, "GET", "/gw/prometheus/metrics");
    expect((await page()).text).toContain("gw_captcha_up 0");
    expect((await gateway.admin("GET", "/captcha/stats")).status).toBe(503);
    expect((await gateway.admin("PUT", "/captcha/site-keys/sk_meanwhile", siteKey())).status).toBe(201);
    rmSync(place);
    await until(async () => (await captcha.ready()).captcha.up);
    expect((await page()).text).toContain("gw_captcha_up 1");
    expect(await tokenFrom(captcha.url, "sk_meanwhile")).toBeTypeOf("string");
  });

  it("a handover on SIGUSR2 keeps tokens good, and no verification fails meanwhile", async () => {
    captcha = await CaptchaGateway.start();
    const { gateway } = captcha;
    const tokens: string[] = [];
    for (let n = 0; n < 12; n++) tokens.push(await tokenFrom(captcha.url, SITE_KEY));
    const ended = once(gateway.process, "exit");
    gateway.process.kill("SIGUSR2");
    let over = false;
    void ended.then(() => (over = true));
    const results: unknown[] = [];
    while (!over) {
      const token = tokens[results.length % 10] ?? "";
      results.push((await captcha.verify(token)).status);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const successor = await successorOf(gateway);
    try {
      expect(new Set(results)).toEqual(new Set([200]));
      expect((await captcha.verify(tokens[0] ?? "")).json["reason"]).toBe("already_used");
      expect((await captcha.verify(tokens[11] ?? "")).json["success"]).toBe(true);
      expect((await captcha.verify(await tokenFrom(captcha.url, SITE_KEY))).json["success"]).toBe(true);
    } finally {
      process.kill(successor, "SIGTERM");
      await isGone(successor);
    }
  });

  it("a handover on SIGUSR2 without the section ends the captcha, whose port refuses connections", async () => {
    captcha = await CaptchaGateway.start();
    const { gateway } = captcha;
    gateway.write({});
    const ended = once(gateway.process, "exit");
    gateway.process.kill("SIGUSR2");
    await ended;
    const successor = await successorOf(gateway);
    try {
      await expect(exchange(captcha.port, "GET", "/captcha.js")).rejects.toThrow("ECONNREFUSED");
      expect((await captcha.ready()).status).toBe(200);
    } finally {
      process.kill(successor, "SIGTERM");
      await isGone(successor);
    }
  });

  it("a reload on SIGHUP changes settings of the captcha, and names those that need a restart", async () => {
    captcha = await CaptchaGateway.start();
    const { gateway } = captcha;
    const { captcha: section, ...rest } = JSON.parse(
      readFileSync(join(gateway.directory, "gateway.json"), "utf8"),
    ) as Record<string, object>;
    gateway.write({
      ...rest,
      captcha: {
        ...section,
        testing: { enabled: true },
        listen: { ip: "127.0.0.1", port: await freePort() },
        store: { type: "memory" },
      },
    });
    gateway.process.kill("SIGHUP");
    await until(() => gateway.log("restart_needed").length > 0);
    expect(gateway.log("restart_needed").map(({ settings }) => settings)).toEqual([
      ["captcha.listen", "captcha.store"],
    ]);
    await until(async () => (await captcha.ready()).captcha.up);
    const stats = (await gateway.admin("GET", "/captcha/stats")).json;
    expect(stats["restart_needed"]).toEqual(["captcha.listen", "captcha.store"]);
    expect(await tokenFrom(captcha.url, "sp-test-pass")).toBeTypeOf("string");
    // The next control has the configuration of the reload and the store of the start.
    const control = gateway.child("control");
    process.kill(control, "SIGKILL");
    await until(() => gateway.log("ready").length > 1);
    expect(gateway.child("control")).not.toBe(control);
    expect((await captcha.ready()).captcha.up).toBe(true);
    expect(await tokenFrom(captcha.url, "sp-test-pass")).toBeTypeOf("string");
  });
});
