import "../../../plugins/runtime.js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CERTIFICATES, filesKey } from "../../../runtime/abi/certificates.js";
import { DEFAULT_POLICY } from "../../../runtime/abi/tls-policy.js";
import { DEFAULT_LIMITS } from "../../../runtime/http/limits.js";
import { DataPlane } from "../../../runtime/process/data-plane.js";
import { GenerationContent } from "../../../runtime/process/generation-log.js";
import { DEFAULT_ADMISSION } from "../../../runtime/process/messages.js";
import { TEST_CERTIFICATE } from "../../support/certificate.js";
import { artifact, delta, moduleText, row } from "../host/artifacts.js";

const SETTINGS = { drainMs: 0, limits: DEFAULT_LIMITS, admission: DEFAULT_ADMISSION, tls: DEFAULT_POLICY };
const { cert, key } = TEST_CERTIFICATE;
const FILES = { cert: "cert.pem", key: "key.pem" };
const TEXTS = { [filesKey(FILES)]: { cert, key } };
const SECRETS = { "literal:key": key };

/** Change that brings one certificate. */
const bringing = (chain: object) => ({
  ...delta(),
  tables: { [CERTIFICATES]: { certificates: [{ id: "a", snis: ["a.test"], chains: [chain] }] } },
});
const WRITTEN = bringing({ cert, key: "literal:key" });

let gateway: DataPlane;
/** Returns the value that a live resource reads for a reference. */
let secretOf: (reference: string) => string | undefined;
beforeEach(async () => {
  gateway = new DataPlane();
  const open = `open(context) { globalThis.trialSecretOf = context.secret; return { drain() {} }; }`;
  const whole = artifact({
    routes: [row("r", { moduleId: "route:r" })],
    modules: [moduleText("route:r", `resources: [{ kind: "probe", key: "trial", use() {}, ${open} }]`)],
  });
  await gateway.start(1, GenerationContent.of(1, whole), SETTINGS, {});
  secretOf = (globalThis as Record<string, unknown>)["trialSecretOf"] as typeof secretOf;
});
afterEach(() => gateway.close(0));

const attempt = (
  change: typeof WRITTEN,
  secrets: Record<string, string> | undefined,
  texts: typeof TEXTS = {},
) => gateway.attempt(2, change, secrets, undefined, texts);

describe("a worker's dry run", () => {
  it("a dry run checks a certificate with the keys of its change and keeps none of them", async () => {
    await attempt(WRITTEN, SECRETS);
    expect(secretOf("literal:key")).toBeUndefined();
    const without = attempt(WRITTEN, undefined);
    await expect(without).rejects.toMatchObject({ code: "GW6008", message: /its key is unknown/ });
  });

  it("a dry run checks a certificate with the file contents of its change and keeps none of them", async () => {
    const change = bringing({ files: FILES });
    await attempt(change, undefined, TEXTS);
    const without = attempt(change, undefined);
    await expect(without).rejects.toMatchObject({ code: "GW6008", message: /its files are not known here/ });
  });

  it("a refused dry run keeps no key", async () => {
    const strict = { ...DEFAULT_POLICY, ciphers: "ECDHE-ECDSA-AES128-GCM-SHA256:@SECLEVEL=5" };
    const refused = gateway.attempt(2, WRITTEN, SECRETS, strict, {});
    await expect(refused).rejects.toMatchObject({ code: "GW6008", message: /cannot be presented/ });
    expect(secretOf("literal:key")).toBeUndefined();
  });
});

it("a worker that refuses a change keeps no key of it", async () => {
  const strict = { ...DEFAULT_POLICY, ciphers: "ECDHE-ECDSA-AES128-GCM-SHA256:@SECLEVEL=5" };
  const refused = gateway.prepare(2, WRITTEN, SECRETS, strict);
  await expect(refused).rejects.toMatchObject({ code: "GW6008" });
  expect(secretOf("literal:key")).toBeUndefined();
});
