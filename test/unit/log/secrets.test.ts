import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { writeBuild } from "../../../compiler/7-build/write.js";
import { renderText } from "../../../compiler/report/text.js";
import { masksOf } from "../../../compiler/secrets/secret-spans.js";
import { TEST_CERTIFICATE } from "../../support/certificate.js";
import { newCompilation } from "../../support/compilation.js";
import { compiled, sasl, sourceOf } from "./configurations.js";

const PASSWORD = "correct-horse-battery-staple";

describe("a plain-text password", () => {
  it.each([undefined, "key of the installation"])(
    "a plain-text password is in no plan, module or row (key: %s)",
    (secretKey) => {
      const { plan, artifact, modules, secrets } = compiled([{ "broker-logger": sasl(PASSWORD) }], secretKey);
      expect(JSON.stringify([plan, artifact, modules])).not.toContain(PASSWORD);
      expect([...secrets.values()]).toEqual([PASSWORD]);
      for (const [reference] of secrets) expect(artifact?.modules[0]?.code).toContain(`"${reference}"`);
    },
  );

  it("a plain-text password without a secret key is named by its config path", () => {
    const { secrets } = compiled([{ "broker-logger": sasl(PASSWORD) }]);
    expect([...secrets.keys()]).toEqual(["route:r0:broker-logger.brokers.0.sasl_config.password"]);
  });

  it("a plain-text password with a secret key has one name in all places, and another under another key", () => {
    const routes = [{ "broker-logger": sasl(PASSWORD) }, { "broker-logger": sasl(PASSWORD) }];
    const [name, ...others] = compiled(routes, "one").secrets.keys();
    expect(others).toEqual([]);
    expect([...compiled(routes, "two").secrets.keys()]).not.toEqual([name]);
  });

  it("a plain-text password prevents a build with GW6109 at its config path and is not printed", () => {
    const directory = mkdtempSync(join(tmpdir(), "gwc-secret-"));
    try {
      const routes = [{ "broker-logger": sasl(PASSWORD) }];
      const result = compiled(routes);
      const { artifact, plan } = result;
      if (!artifact || !plan) throw new Error("it does not compile");
      const { diagnostics: findings } = writeBuild(join(directory, "dist"), { ...result, artifact, plan });
      expect(findings.map(({ code }) => code)).toEqual(["GW6109"]);
      expect(existsSync(join(directory, "dist"))).toBe(false);
      const sources = [sourceOf(routes)];
      const text = renderText(findings, { sources, masks: masksOf(sources, findings, {}) });
      expect(text).toContain("broker-logger.brokers.0.sasl_config.password");
      expect(text).not.toContain(PASSWORD);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});

describe("plain-text headers of http-logger", () => {
  const settings = {
    uri: "https://logs.internal/",
    auth_header: `Bearer ${PASSWORD}`,
    headers: { "X-Key": PASSWORD },
    tls: TEST_CERTIFICATE,
  };
  const shown = [PASSWORD, TEST_CERTIFICATE.key.slice(40, 80)];

  it.each([undefined, "key of the installation"])(
    "plain-text headers and keys of http-logger are in no plan, module or row (key: %s)",
    (secretKey) => {
      const { plan, artifact, modules, secrets } = compiled([{ "http-logger": settings }], secretKey);
      for (const secret of shown) expect(JSON.stringify([plan, artifact, modules])).not.toContain(secret);
      expect([...secrets.values()].sort()).toEqual(
        [TEST_CERTIFICATE.key, `Bearer ${PASSWORD}`, PASSWORD].sort(),
      );
    },
  );
});

describe("the plain-text private key of a client certificate", () => {
  it.each([undefined, "key of the installation"])(
    "a plain-text private key is in no plan, module or row (key: %s)",
    (secretKey) => {
      const settings = { ...sasl(PASSWORD), tls: TEST_CERTIFICATE };
      const { plan, artifact, modules, secrets } = compiled([{ "broker-logger": settings }], secretKey);
      const all = JSON.stringify([plan, artifact, modules]);
      for (const secret of [PASSWORD, TEST_CERTIFICATE.key.slice(40, 80)]) expect(all).not.toContain(secret);
      expect([...secrets.values()].sort()).toEqual([TEST_CERTIFICATE.key, PASSWORD].sort());
    },
  );
});

describe("a reference to the environment", () => {
  it("a reference to the environment stays in the module as it is and is no secret", () => {
    const { artifact, secrets, pluginSecrets } = compiled([{ "broker-logger": sasl("${{KAFKA_PASSWORD}}") }]);
    expect(artifact?.modules[0]?.code).toContain('password: "${{KAFKA_PASSWORD}}"');
    expect([...secrets, ...pluginSecrets]).toEqual([]);
  });
});

describe("a write", () => {
  const upstream = { nodes: { "127.0.0.1:80": 1 } };
  const put = (id: string, password: string) => {
    const plugins = { "broker-logger": sasl(password) };
    return {
      put: { kind: "routes" as const, id, text: JSON.stringify({ uri: `/${id}`, upstream, plugins }) },
    };
  };

  it("a write returns secrets separately from its delta, and a rollback removes them", () => {
    const compilation = newCompilation({ secretKey: "key of the installation" });
    compilation.load({ sources: [], environment: {} });
    const first = compilation.write([put("a", PASSWORD)]);
    expect([...first.secrets.values()]).toEqual([PASSWORD]);
    expect(JSON.stringify(first.delta)).not.toContain(PASSWORD);
    first.commit();
    const second = compilation.write([put("a", "another")]);
    expect([...second.secrets.values()]).toEqual(["another"]);
    second.rollback();
    const third = compilation.write([put("b", "third")]);
    expect([...third.secrets.values()].sort()).toEqual([PASSWORD, "third"]);
    third.commit();
    const last = compilation.write([{ remove: { kind: "routes", id: "a" } }]);
    expect([...last.secrets.values()]).toEqual(["third"]);
  });

  it("a load returns the secrets of stored resources", () => {
    const stored = [{ kind: "routes" as const, id: "a", value: JSON.parse(put("a", PASSWORD).put.text) }];
    const { secrets } = newCompilation().load({ sources: [], stored, environment: {} });
    expect([...secrets.values()]).toEqual([PASSWORD]);
  });
});
