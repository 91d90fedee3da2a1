import { closeSync, openSync, readSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { absent, type Program, SyslogServer } from "../../support/syslog-server.js";
import { numbered, openSink } from "./sending.js";

const SECONDS = 3;
const A_SECOND = 50_000;
const BATCH = 1000;

/** Counts the lines of a file of hundreds of MB without reading it whole. */
function linesOf(path: string): number {
  const file = openSync(path, "r");
  const buffer = Buffer.alloc(1024 * 1024);
  let lines = 0;
  for (let read = readSync(file, buffer); read > 0; read = readSync(file, buffer))
    for (let at = buffer.indexOf(10); at >= 0 && at < read; at = buffer.indexOf(10, at + 1)) lines++;
  closeSync(file);
  return lines;
}

/** 50,000 records a second: the test asserts that all arrive, and prints how fast. */
describe("many records over tcp", () => {
  for (const program of ["rsyslog", "syslog-ng"] as Program[]) {
    const reason = absent(program);
    it.skipIf(reason !== undefined)(
      `150,000 records over tcp all arrive at ${program}${reason ? ` (${reason})` : ""}`,
      async () => {
        const server = await SyslogServer.start(program);
        onTestFinished(() => server.stop());
        const sink = openSink({ port: server.ports.tcp, timeoutMs: 30_000 });
        const total = SECONDS * A_SECOND;
        const batch = numbered(0, BATCH, "x".repeat(200));
        const started = performance.now();
        for (let sent = 0; sent < total; sent += BATCH) await sink.send(batch);
        const written = performance.now();
        let arrived = 0;
        for (
          const end = Date.now() + 60_000;
          arrived < total && Date.now() < end;
          arrived = linesOf(server.messages)
        )
          await new Promise((resolve) => setTimeout(resolve, 50));
        const rate = (until: number) => Math.round(total / ((until - started) / 1000));
        console.log(
          `${program}: ${rate(written)} records a second written, ${rate(performance.now())} stored, ${arrived} of ${total}`,
        );
        expect(arrived).toBe(total);
        await sink.close();
      },
    );
  }
});
