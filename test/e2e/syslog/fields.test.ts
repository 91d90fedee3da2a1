import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { messageMaker } from "../../../plugins/syslog/runtime/message.js";
import type { LogEntry } from "../../../runtime/abi/delivery.js";
import type { StreamDestination } from "../../../runtime/logging/logger-settings.js";
import { absent, type Program, SyslogServer } from "../../support/syslog-server.js";
import { entries, numbered, numbers, openSink, PID } from "./sending.js";

const PROGRAMS: readonly Program[] = ["rsyslog", "syslog-ng"];
type Way = "tcp" | "octets" | "udp";
const WAYS: Record<Way, Partial<StreamDestination>> = {
  tcp: {},
  octets: { framing: "octet_counting" },
  udp: { sockType: "udp" },
};

for (const program of PROGRAMS) {
  const reason = absent(program);
  describe.skipIf(reason !== undefined)(
    `messages as ${program} reads them${reason ? ` (${reason})` : ""}`,
    () => {
      let server: SyslogServer;
      let seen = 0;
      beforeAll(async () => {
        server = await SyslogServer.start(program);
      });
      afterAll(() => server.stop());

      /** Sends messages and returns them as the server stored them. */
      async function sent(
        way: Way,
        messages: readonly LogEntry[],
        settings: Partial<StreamDestination> = {},
      ) {
        const sink = openSink({ port: server.ports[way], ...WAYS[way], ...settings });
        await sink.send(messages);
        const received = (await server.receives(seen + messages.length)).slice(seen);
        seen += messages.length;
        await sink.close();
        return received;
      }

      it.each(Object.keys(WAYS) as Way[])(
        "[log.record.text.1] the server reads every part of the header and the record over %s",
        async (way) => {
          const before = Date.now();
          const record = { route_id: "1", status: 200, quoted: 'a "b" \\ c' };
          const [message] = await sent(way, entries(record));
          expect(message).toMatchObject({
            pri: "46",
            host: "shop.example.com",
            app: "gwc",
            pid: String(PID),
            msgid: program === "rsyslog" ? "-" : "",
            sd: program === "rsyslog" ? "-" : "",
          });
          expect(JSON.parse(message?.msg ?? "")).toEqual(record);
          const at = new Date(message?.timestamp ?? "").getTime();
          expect(at).toBeGreaterThanOrEqual(before - 60_000);
          expect(at).toBeLessThanOrEqual(Date.now());
          expect(message?.timestamp).toMatch(/\.\d{3}(?:Z|\+00:00)$/);
        },
      );

      it.each(Object.keys(WAYS) as Way[])("the server reads multi-byte text over %s", async (way) => {
        const record = { name: "Größe", place: "東京", sign: "😀", long: "é".repeat(500) };
        const [message] = await sent(way, entries(record));
        expect(JSON.parse(message?.msg ?? "")).toEqual(record);
      });

      it.each(Object.keys(WAYS) as Way[])(
        "an invalid host is replaced or cut in the header over %s",
        async (way) => {
          const make = messageMaker(PID);
          const hosts = ["", "a b\tc", "h".repeat(300)];
          const received = await sent(
            way,
            hosts.map((host) => ({ payload: make(host, "{}") })),
          );
          const none = program === "rsyslog" ? "-" : expect.stringMatching(/^(?:-|127\.0\.0\.1|localhost|)$/);
          expect(received.map(({ host }) => host)).toEqual([none, "a?b?c", "h".repeat(255)]);
          expect(received.map(({ msg }) => msg)).toEqual(["{}", "{}", "{}"]);
        },
      );

      it.each(["tcp", "octets"] as const)("a thousand messages over %s arrive in order", async (way) => {
        const received = await sent(way, numbered(0, 1000, "p".repeat(1000)));
        expect(numbers(received)).toEqual(Array.from({ length: 1000 }, (_, i) => i));
      });

      it.each(["tcp", "octets"] as const)("records of 1 MB over %s arrive whole", async (way) => {
        const records = [1, 2, 3].map((n) => ({ n, body: "ü".repeat(500_000) }));
        const received = await sent(way, entries(...records));
        expect(received.map(({ msg }) => JSON.parse(msg))).toEqual(records);
      });

      it("[log.syslog.row6] a flush_limit of 1 KB delays no record", async () => {
        const received = await sent("tcp", numbered(0, 3), { flushLimit: 1024 });
        expect(numbers(received)).toEqual([0, 1, 2]);
      });

      it("a hundred messages over udp arrive in order", async () => {
        const received = await sent("udp", numbered(0, 100));
        expect(numbers(received)).toEqual(Array.from({ length: 100 }, (_, i) => i));
      });
    },
  );
}
