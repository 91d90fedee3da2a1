import { appendFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { type LogEntry, SendError, type Sink } from "../../../runtime/abi/delivery.js";
import { absent, type Program, SyslogServer } from "../../support/syslog-server.js";
import { numbered, numbers, openSink, SenderContext } from "./sending.js";

const PROGRAMS: readonly Program[] = ["rsyslog", "syslog-ng"];

/** Sends a batch until it is delivered, like a shipper. @returns number of tries */
async function until(sink: Sink, batch: readonly LogEntry[]): Promise<number> {
  for (let tries = 1; ; tries++) {
    try {
      await sink.send(batch);
      return tries;
    } catch (error) {
      expect(error).toBeInstanceOf(SendError);
      await pause(50);
    }
  }
}

for (const program of PROGRAMS) {
  const reason = absent(program);
  describe.skipIf(reason !== undefined)(`outages of ${program}${reason ? ` (${reason})` : ""}`, () => {
    let server: SyslogServer;
    let sink: Sink | undefined;
    afterEach(async () => {
      await sink?.close();
      await server.stop();
    });

    it("a confirming sink loses no record while the server is killed repeatedly during batches", async () => {
      server = await SyslogServer.start(program);
      sink = openSink({ port: server.ports.tcp, confirm: true, timeoutMs: 1000 });
      const batches = 40;
      const size = 500;
      let done = false;
      const outages = (async () => {
        for (let kills = 0; kills < 15 && !done; kills++) {
          await pause(150 + Math.random() * 200);
          await server.kill();
          await pause(50);
          await server.open();
        }
      })();
      let tries = 0;
      for (let i = 0; i < batches; i++) tries += await until(sink, numbered(i * size, size, "x".repeat(900)));
      done = true;
      await outages;
      const arrived = numbers(server.received());
      const distinct = new Set(arrived);
      const sent = batches * size;
      const lost = Array.from({ length: sent }, (_, n) => n).filter((n) => !distinct.has(n));
      console.log(
        `${program}: sent ${sent} in ${tries} tries of ${batches} batches, received ${arrived.length}, ` +
          `duplicated ${arrived.length - distinct.size}, lost = ${lost.length}`,
      );
      expect(lost).toEqual([]);
    });

    it("a message of which a killed server had stored a part counts as not received", async () => {
      server = await SyslogServer.start(program);
      sink = openSink({ port: server.ports.tcp });
      await sink.send(numbered(0, 10));
      await server.receives(10);
      await server.kill();
      appendFileSync(server.messages, '{"pri":"13","msg":"');
      await server.open();
      await sink.send(numbered(10, 10));
      expect(numbers(await server.receives(20))).toEqual(Array.from({ length: 20 }, (_, n) => n));
    });

    it("a restart of the server between batches loses no record", async () => {
      server = await SyslogServer.start(program);
      sink = openSink({ port: server.ports.tcp });
      await sink.send(numbered(0, 10));
      await server.receives(10);
      await server.kill("SIGTERM");
      await server.open();
      await sink.send(numbered(10, 10));
      expect(numbers(await server.receives(20))).toEqual(Array.from({ length: 20 }, (_, n) => n));
    });

    it("a server that is killed with unread messages is reported and counted", async () => {
      server = await SyslogServer.start(program);
      const context = new SenderContext();
      sink = openSink({ port: server.ports.tcp }, context);
      await sink.send(numbered(0, 1));
      await server.receives(1);
      await server.freeze();
      await sink.send(numbered(1, 10));
      await server.kill();
      for (const end = Date.now() + 10_000; context.reports.length === 0 && Date.now() < end; )
        await pause(10);
      expect(context.reports).toEqual([
        {
          event: "syslog connection failed",
          fields: { destination: `127.0.0.1:${server.ports.tcp}`, message: "read ECONNRESET" },
        },
      ]);
      expect(context.metrics.snapshot()).toMatchObject([
        { name: "gw_syslog_connections_failed_total", series: [{ value: 1 }] },
      ]);
    });

    it("a batch waits for a server that is down for less than the timeout", async () => {
      server = await SyslogServer.start(program);
      sink = openSink({ port: server.ports.tcp, timeoutMs: 10_000 });
      await server.kill();
      const sent = sink.send(numbered(0, 10));
      await pause(300);
      await server.open();
      await sent;
      expect(numbers(await server.receives(10))).toEqual(Array.from({ length: 10 }, (_, n) => n));
    });

    it("a batch fails with nothing delivered if the server stays down", async () => {
      server = await SyslogServer.start(program);
      await server.kill();
      sink = openSink({ port: server.ports.tcp, timeoutMs: 200 });
      await expect(sink.send(numbered(0, 10))).rejects.toMatchObject({
        name: "SendError",
        delivered: 0,
        message: expect.stringMatching(/^syslog server 127\.0\.0\.1:\d+: .*ECONNREFUSED/),
      });
    });
  });
}
