import { createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { absent, type Program, SyslogServer } from "../../support/syslog-server.js";
import { Authority } from "./authority.js";
import { numbered, numbers, openSink } from "./sending.js";

/**
 * Time in ms for which refused connections are tried again; each test with a bad certificate waits for it.
 */
const TRIED_MS = 5_000;
const PROGRAMS: readonly Program[] = ["rsyslog", "syslog-ng"];

for (const program of PROGRAMS) {
  const reason = absent(program);
  describe.skipIf(reason !== undefined)(`TLS to ${program}${reason ? ` (${reason})` : ""}`, () => {
    const authority = new Authority();
    const other = new Authority();
    let server: SyslogServer;
    beforeAll(async () => {
      server = await SyslogServer.start(program, { tls: authority });
    });
    afterAll(async () => {
      await server.stop();
      authority.remove();
      other.remove();
    });
    const secured = (ca: string, more: object = {}) =>
      openSink({ port: server.ports.tls, tls: true, ca, timeoutMs: 30_000, ...more });

    it("[log.syslog.row5] messages arrive in order at a server whose certificate is verified", async () => {
      const sink = secured(authority.caText);
      await sink.send(numbered(0, 500, "x".repeat(1000)));
      await sink.send(numbered(500, 500));
      await sink.close();
      expect(numbers(await server.receives(1000))).toEqual(Array.from({ length: 1000 }, (_, n) => n));
    });

    it("a confirming sink delivers batches over TLS, in order and without duplicates", async () => {
      const before = server.received().length;
      const sink = secured(authority.caText, { confirm: true, host: "localhost" });
      for (let i = 0; i < 3; i++) await sink.send(numbered(i * 100, 100, "x".repeat(1000)));
      const stored = await server.receives(before + 300);
      expect(numbers(stored.slice(before))).toEqual(Array.from({ length: 300 }, (_, n) => n));
      await sink.close();
    });

    it("no message is sent to a server whose authority is not trusted", async () => {
      const before = server.received().length;
      const sink = secured(other.caText, { timeoutMs: TRIED_MS });
      await expect(sink.send(numbered(0, 10))).rejects.toThrow(/certificate|issuer/);
      await sink.close();
      expect(server.received().length).toBe(before);
    });
  });
}

describe("failing TLS handshakes", () => {
  it("a batch fails if the server's certificate is for another name", async () => {
    const authority = new Authority("DNS:elsewhere.test");
    const server = await SyslogServer.start("rsyslog", { tls: authority });
    onTestFinished(() => server.stop());
    const sink = openSink({ port: server.ports.tls, tls: true, ca: authority.caText, timeoutMs: TRIED_MS });
    await expect(sink.send(numbered(0, 1))).rejects.toThrow(/altnames|does not match/);
    await sink.close();
    authority.remove();
  });

  it("a batch fails after the timeout if the server never responds to the handshake", async () => {
    const deaf = createServer(() => {}).listen(0, "127.0.0.1");
    await new Promise((resolve) => deaf.once("listening", resolve));
    const { port } = deaf.address() as { port: number };
    const sink = openSink({ port, tls: true, timeoutMs: 200 });
    await expect(sink.send(numbered(0, 1))).rejects.toThrow("no connection within 200 ms");
    await sink.close();
    deaf.close();
  });
});
