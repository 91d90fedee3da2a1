import "../../../plugins/runtime.js";
import { syncBuiltinESMExports } from "node:module";
import tls from "node:tls";
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { CERTIFICATES } from "../../../runtime/abi/certificates.js";
import { DEFAULT_POLICY } from "../../../runtime/abi/tls-policy.js";
import { DEFAULT_LIMITS } from "../../../runtime/http/limits.js";
import { DataPlane } from "../../../runtime/process/data-plane.js";
import { GenerationContent } from "../../../runtime/process/generation-log.js";
import { DEFAULT_ADMISSION } from "../../../runtime/process/messages.js";
import { TEST_CERTIFICATE } from "../../support/certificate.js";
import { artifact, delta } from "../host/artifacts.js";

const SETTINGS = { drainMs: 0, limits: DEFAULT_LIMITS, admission: DEFAULT_ADMISSION, tls: DEFAULT_POLICY };
const { cert, key } = TEST_CERTIFICATE;
const row = (id: string) => ({ id, snis: [`${id}.test`], chains: [{ cert, key: "key" }] });
const tables = (...ids: string[]) => ({ [CERTIFICATES]: { certificates: ids.map(row) } });

const original = tls.createSecureContext;
let isLoading = false;
let contexts: ("loading" | "serving" | "request")[] = [];
beforeEach(() => {
  contexts = [];
  tls.createSecureContext = (options) => {
    contexts.push(isLoading ? "loading" : "serving");
    return original(options);
  };
  syncBuiltinESMExports();
});
afterEach(() => {
  tls.createSecureContext = original;
  syncBuiltinESMExports();
});

const heartbeat = {
  loading<T>(load: () => T): T {
    isLoading = true;
    try {
      return load();
    } finally {
      isLoading = false;
    }
  },
  stop() {},
};

it("a worker prepares certificates at its start under the loading timeout, later between requests", async () => {
  // Each reading of the clock is a time slice later.
  const clock = vi.spyOn(performance, "now");
  onTestFinished(() => clock.mockRestore());
  let now = 0;
  clock.mockImplementation(() => (now += 10));

  const gateway = new DataPlane(heartbeat);
  const first = { ...artifact(), tables: tables("a", "b") };
  await gateway.start(1, GenerationContent.of(1, first), SETTINGS, { key });
  expect(contexts).toEqual(["loading", "loading"]);
  const change = { ...delta(), tables: tables("a", "b", "c", "d") };
  contexts = [];
  const tried = gateway.attempt(2, change, undefined, undefined, {});
  setImmediate(() => contexts.push("request"));
  await tried;
  expect(contexts).toEqual(["request", "serving", "serving"]);
  contexts = [];
  const prepared = gateway.prepare(3, change, undefined);
  setImmediate(() => contexts.push("request"));
  await prepared;
  expect(contexts).toEqual(["request", "serving", "serving"]);
  gateway.activate();
  expect(contexts).toHaveLength(3);
  await gateway.close(0);
});

it("a worker prepares no certificate again when its ciphers change", async () => {
  const gateway = new DataPlane(heartbeat);
  const first = { ...artifact(), tables: tables("a", "b") };
  const strict = {
    ...SETTINGS,
    tls: { ...DEFAULT_POLICY, ciphers: "ECDHE-ECDSA-AES128-GCM-SHA256:@SECLEVEL=5" },
  };
  await gateway.start(1, GenerationContent.of(1, first), strict, { key });
  expect(contexts).toEqual(["loading", "loading"]);
  gateway.apply(SETTINGS);
  expect(contexts).toEqual(["loading", "loading"]);
  await gateway.close(0);
});
