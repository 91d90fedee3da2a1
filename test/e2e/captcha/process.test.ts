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

/** Process id of the launcher that has taken over, which is no child of this test. */
async function successorOf(gateway: ProcessGateway): Promise<number> {
  const [worker] = await gateway.workers();
  const status = readFileSync(`/proc/${worker?.pid}/status`, "utf8");
  return Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]);
}

/** A POST verification whose body arrives in two halves, the second when `finish` is called. */
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
  it("does not run without the section captcha", async () => {
    const gateway = await ProcessGateway.start({}, { workers: 1 });
    captcha = Object.assign(Object.create(CaptchaGateway.prototype), { gateway }) as CaptchaGateway;
    expect(captcha.gateway.child("captcha")).toBe(0);
    expect(gateway.output).not.toContain("captcha");
    expect((await gateway.admin("GET", "/captcha/stats")).status).toBe(404);
    expect((await captcha.ready()).captcha).toEqual({});
  });

  it("serves at its own listener, tells its address and is ready with the gateway", async () => {
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

  it("serves with what the admin API wrote as soon as the write is answered", async () => {
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

  it("keeps claims, signing keys and API keys when it is killed, and is started again", async () => {
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

  it("[A23] with a memory store, refuses after a restart what it signed before", async () => {
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

  it("goes on with its last configuration while control is away, and takes changes from the next one", async () => {
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

  it("lets a request in flight end when the gateway is stopped", async () => {
    captcha = await CaptchaGateway.start();
    const token = await tokenFrom(captcha.url, SITE_KEY);
    const slow = halfVerification(captcha, token);
    await slow.begun;
    // Its first half has arrived before this answer.
    await exchange(captcha.port, "GET", "/healthz");
    captcha.gateway.process.kill("SIGTERM");
    // The captcha is told after the workers have ended.
    await until(() => captcha.gateway.child("worker") === 0);
    await new Promise((resolve) => setTimeout(resolve, 100));
    slow.finish();
    expect(await slow.answer).toMatch(/^HTTP\/1\.1 200 [\s\S]*"success":true/);
    expect(await captcha.gateway.stop()).toBe(0);
  });

  it("does not hold the gateway up when it cannot start: the reason is shown, and it is tried again", async () => {
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

  it("is handed over on SIGUSR2: tokens stay good, and no verification fails meanwhile", async () => {
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

  it("is gone after SIGUSR2 when its section is gone: its port refuses connections", async () => {
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

  it("takes other settings on SIGHUP, and says which need a restart", async () => {
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
    // The control after it has what the reload left in force, and the store of the start.
    const control = gateway.child("control");
    process.kill(control, "SIGKILL");
    await until(() => gateway.log("ready").length > 1);
    expect(gateway.child("control")).not.toBe(control);
    expect((await captcha.ready()).captcha.up).toBe(true);
    expect(await tokenFrom(captcha.url, "sp-test-pass")).toBeTypeOf("string");
  });
});
