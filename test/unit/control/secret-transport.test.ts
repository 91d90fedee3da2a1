import "../../../plugins/runtime.js";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DEFAULT_POLICY } from "../../../runtime/abi/tls-policy.js";
import { ABI } from "../../../runtime/abi/version.js";
import { GenerationStore } from "../../../runtime/control/generation-store.js";
import { Publication } from "../../../runtime/control/publication.js";
import { Workers } from "../../../runtime/control/workers.js";
import { DEFAULT_LIMITS } from "../../../runtime/http/limits.js";
import { DataPlane } from "../../../runtime/process/data-plane.js";
import { GenerationContent } from "../../../runtime/process/generation-log.js";
import {
  DEFAULT_ADMISSION,
  type Secrets,
  type ToControl,
  type ToWorker,
} from "../../../runtime/process/messages.js";
import { artifact, delta, moduleText, row } from "../host/artifacts.js";

const SETTINGS = { drainMs: 0, limits: DEFAULT_LIMITS, admission: DEFAULT_ADMISSION, tls: DEFAULT_POLICY };

describe("secrets that control sends to workers", () => {
  let directory: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), "gwc-transport-"));
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  it("workers receive secrets at start and when a change or dry run alters them, but none of the captcha", async () => {
    const saved = new GenerationStore(directory);
    const workers: Workers = new Workers(1, () => ({
      number: saved.content.number,
      planHash: saved.content.planHash,
      log: () => saved.whole(),
      settings: SETTINGS,
      secrets: publication.workerSecrets,
      plugins: [],
      routeAt: () => undefined,
      routeVersion: () => undefined,
      globalRuleAt: () => undefined,
    }));
    let toldCaptcha = 0;
    const publication = new Publication(saved, workers, 0, async () => {
      toldCaptcha += 1;
    });
    await publication.beginWith(artifact(), { a: "1", "captcha:k": "one" }, () => {});
    const heard: ToWorker[] = [];
    const answer = (message: ToWorker): ToControl | undefined => {
      if (message.type === "start") return { type: "active", generation: message.generation, planHash: "p0" };
      if (message.type === "prepare" || message.type === "attempt")
        return { type: "prepared", generation: message.generation };
      if (message.type === "accept") return { type: "accepting" };
      if (message.type !== "activate") return undefined;
      return { type: "active", generation: message.generation, planHash: "p1" };
    };
    const attached = workers.attach({
      send(message) {
        heard.push(message);
        const back = answer(message);
        if (back) setImmediate(() => attached.hear(back));
      },
      replace: () => {},
    });
    const hello = { type: "hello", worker: 0, pid: 1, abi: ABI, generation: 0, planHash: "" } as const;
    attached.hear({ ...hello, accepting: false, plugins: "" });
    await workers.whenReady();
    const next = (secrets: Secrets) => publication.publish(delta(), secrets, () => {});
    const atStart = toldCaptcha;
    await next({ a: "1", "captcha:k": "one" });
    expect(toldCaptcha).toBe(atStart);
    await next({ a: "1", "captcha:k": "two" });
    expect(toldCaptcha).toBe(atStart + 1);
    expect(publication.secrets["captcha:k"]).toBe("two");
    await next({ a: "1", b: "2" });
    await next({ b: "2" });
    const told = (...types: string[]) =>
      heard.flatMap((message) =>
        types.includes(message.type) && "secrets" in message ? [message.secrets] : [],
      );
    expect(told("start", "prepare")).toEqual([{ a: "1" }, { a: "1", b: "2" }, { b: "2" }]);
    const toldBefore = toldCaptcha;
    await publication.dryRun(delta(), { b: "2", "captcha:k": "three" });
    await publication.dryRun(delta(), { c: "3", "captcha:k": "three" });
    await publication.dryRun(delta(), { b: "2" });
    expect(told("attempt")).toEqual([{ c: "3" }]);
    expect([publication.secrets, toldCaptcha]).toEqual([{ b: "2" }, toldBefore]);
    saved.close();
  });
});

describe("a shared resource that opens", () => {
  /** Module whose shared resource stores the secret in a global variable when it opens. */
  const opening = (name: string, key: string) => {
    const open = `open(context) { globalThis.${name} = context.secret(${JSON.stringify(key)}); return { drain() {} }; }`;
    return `resources: [{ kind: "probe", key: ${JSON.stringify(name)}, use() {}, ${open} }]`;
  };
  const seen = (name: string) => (globalThis as Record<string, unknown>)[name];

  it("a shared resource receives the secrets of its generation, from a full start and from a change", async () => {
    const gateway = new DataPlane();
    const first = artifact({
      routes: [row("a", { moduleId: "route:a" })],
      modules: [moduleText("route:a", opening("probeOne", "literal:1"))],
    });
    await gateway.start(1, GenerationContent.of(1, first), SETTINGS, { "literal:1": "one" });
    expect(seen("probeOne")).toBe("one");
    const second = moduleText("route:a", opening("probeTwo", "literal:2"));
    await gateway.prepare(2, delta({ modules: { put: [second] } }), { "literal:2": "two" });
    expect(seen("probeTwo")).toBe("two");
    gateway.activate();
    const third = moduleText("route:a", opening("probeThree", "literal:3"));
    const late = gateway.prepare(3, delta({ modules: { put: [third] } }), undefined);
    await expect(late).rejects.toMatchObject({ code: "GW6007" });
    await gateway.close(0);
  });

  it("a shared resource without its secret does not prevent a start, but rejects a change", async () => {
    const gateway = new DataPlane();
    const whole = artifact({
      routes: [row("a", { moduleId: "route:a" })],
      modules: [moduleText("route:a", opening("probeFour", "literal:4"))],
    });
    await gateway.start(1, GenerationContent.of(1, whole), SETTINGS, {});
    const variable = "$" + "{{GWC_NO_SUCH_VARIABLE}}";
    const change = delta({ modules: { put: [moduleText("route:a", opening("probeFive", variable))] } });
    await expect(gateway.prepare(2, change, undefined)).rejects.toThrow(
      "the environment variable GWC_NO_SUCH_VARIABLE is not set",
    );
    await gateway.prepare(2, delta({ routes: { put: [row("b")] } }), undefined);
    gateway.activate();
    await gateway.close(0);
  });
});
