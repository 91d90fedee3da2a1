import "../../../../plugins/index.js";
import { describe, expect, it } from "vitest";
import { compile } from "../../../../compiler/index.js";
import type { LoggerSettings, StreamDestination } from "../../../../runtime/logging/logger-settings.js";
import { TEST_CERTIFICATE } from "../../../support/certificate.js";

const NEEDED = { host: "logs.example.com", port: 514 };

function compiled(syslog: object) {
  const route = { id: "r", uri: "/*", upstream: { nodes: { "127.0.0.1:80": 1 } }, plugins: { syslog } };
  const text = JSON.stringify({ routes: [route] });
  return compile({ sources: [{ name: "r.json", text, format: "json" }], environment: {} });
}

/** Settings of a logger, without the compiled formats. */
type SyslogSettings = LoggerSettings<StreamDestination>;

function settings(syslog: object): SyslogSettings {
  const { plan, diagnostics } = compiled(syslog);
  expect(diagnostics).toEqual([]);
  const data = plan?.routes[0]?.pipeline?.resources?.[0]?.data;
  if (data === undefined) throw new Error("no resource");
  return (data as unknown as { settings: SyslogSettings }).settings;
}

const diagnostics = (syslog: object) => compiled(syslog).diagnostics.map(({ message }) => message);

describe("settings of syslog", () => {
  it("syslog has the defaults of the specification: [log.syslog.row3] [log.syslog.row4] [log.syslog.row5] [log.syslog.row6] [log.syslog.row7] [log.syslog.row8] [log.syslog.row9]", () => {
    const { destination, batch, delivery, requestBody, responseBody } = settings(NEEDED);
    expect(destination).toEqual({
      ...NEEDED,
      timeoutMs: 3000,
      tls: false,
      flushLimit: 4096 * 1024,
      dropLimit: 1_048_576 * 1024,
      sockType: "tcp",
      poolSize: 5,
      framing: "newline",
    });
    expect(batch.name).toBe("sys logger");
    expect(delivery).toBe("memory");
    expect([requestBody, responseBody]).toEqual([undefined, undefined]);
  });

  it("[log.syslog.row13] [log.syslog.row16] syslog keeps 524,288 bytes of an included body", () => {
    const { requestBody, responseBody } = settings({
      ...NEEDED,
      include_req_body: true,
      include_resp_body: true,
    });
    expect([requestBody, responseBody]).toEqual([{ maxBytes: 524_288 }, { maxBytes: 524_288 }]);
  });

  it.each([
    ["[log.syslog.row1] host", { port: 514 }],
    ["[log.syslog.row2] port", { host: "logs.example.com" }],
  ])("syslog needs a %s", (_, given) => {
    expect(diagnostics(given).length).toBeGreaterThan(0);
  });

  it.each([
    ["[log.limits.7] [log.syslog.row4]", { timeout: 0 }],
    ["[log.limits.7] [log.syslog.row6]", { flush_limit: 0 }],
    ["[log.limits.7] [log.syslog.row8]", { sock_type: "unix" }],
    ["[log.limits.7] [log.syslog.row9]", { pool_size: 4 }],
    ["[log.limits.7] [log.syslog.row13]", { include_req_body: true, max_req_body_bytes: 0 }],
    ["[log.limits.7] [log.syslog.row16]", { include_resp_body: true, max_resp_body_bytes: 0 }],
    ["[log.syslog.row2]", { port: "514" }],
    ["[log.syslog.text.4]", { flush_limit: 1.5 }],
    ["[log.syslog.row5]", { tls: true, sock_type: "udp" }],
    ["[log.syslog.row10]", { log_format: "$host" }],
    ["a datagram that no receiver need take", { sock_type: "udp", max_datagram: 479 }],
    ["a datagram that cannot be", { sock_type: "udp", max_datagram: 65_508 }],
    ["authorities that are no certificates", { tls: true, ca: "/etc/ssl/ca.pem" }],
    ["authorities that cannot be read", { tls: true, ca: TEST_CERTIFICATE.cert.replaceAll("A", "B") }],
  ])("the compiler rejects (%s) syslog settings %j", (_, given) => {
    const bad = compiled({ ...NEEDED, ...given });
    expect(bad.diagnostics.some(({ severity }) => severity === "error")).toBe(true);
  });

  it.each([
    [{ sock_type: "udp", framing: "newline" }, "framing"],
    [{ sock_type: "udp", pool_size: 5 }, "pool_size"],
    [{ max_datagram: 1472 }, "max_datagram"],
    [{ ca: TEST_CERTIFICATE.cert }, "ca"],
  ])("the compiler warns about unused syslog settings: %j", (given, field) => {
    const { diagnostics } = compiled({ ...NEEDED, ...given });
    expect(diagnostics.map(({ code, severity }) => [code, severity])).toEqual([["GW4405", "warning"]]);
    expect(diagnostics[0]?.message).toContain(field);
  });

  it("the compiler rejects a private key among authorities without repeating it", () => {
    const { cert, key } = TEST_CERTIFICATE;
    const { diagnostics } = compiled({ ...NEEDED, tls: true, ca: cert + key });
    expect(diagnostics.map(({ code }) => code)).toEqual(["GW2132"]);
    expect(JSON.stringify(diagnostics)).not.toContain(key.split("\n")[1]);
  });

  it("syslog settings contain authorities and max_datagram", () => {
    const ca = TEST_CERTIFICATE.cert;
    expect(settings({ ...NEEDED, tls: true, ca }).destination).toMatchObject({ tls: true, ca });
    expect(settings({ ...NEEDED, sock_type: "udp", max_datagram: 1472 }).destination.maxDatagram).toBe(1472);
  });
});
