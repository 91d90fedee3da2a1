import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { until } from "../../support/patience.js";
import { bytes, entries, numbered, openSink, SenderContext } from "./sending.js";

describe("datagrams", () => {
  let receiver: Socket;
  let port: number;
  const received: string[] = [];
  beforeEach(async () => {
    received.length = 0;
    receiver = createSocket("udp4");
    receiver.on("message", (message) => received.push(message.toString("latin1")));
    receiver.bind(0, "127.0.0.1");
    await once(receiver, "listening");
    port = receiver.address().port;
  });
  afterEach(() => new Promise<void>((resolve) => receiver.close(() => resolve())));

  async function arrived(count: number): Promise<string[]> {
    await until(() => received.length >= count);
    return received;
  }

  it("[log.syslog.row8] a datagram holds one message with its newline", async () => {
    const sink = openSink({ port, sockType: "udp" });
    const messages = numbered(0, 60);
    await sink.send(messages);
    expect(await arrived(60)).toEqual(messages.map(({ payload }) => `${payload}\n`));
    await sink.close();
  });

  it("a message above 65,507 bytes is cut between characters, counted and reported", async () => {
    const context = new SenderContext();
    const sink = openSink({ port, sockType: "udp" }, context);
    await sink.send(entries({ n: 1, body: "ü東😀".repeat(20_000) }));
    const [message = ""] = await arrived(1);
    expect(message.length).toBeLessThanOrEqual(65_507);
    expect(message.length).toBeGreaterThan(65_502);
    const text = Buffer.from(message, "latin1").toString("utf8");
    expect(text).not.toContain("\ufffd");
    expect(bytes(text)).toBe(message);
    expect(context.reports).toEqual([
      {
        event: "syslog message truncated",
        fields: { destination: `127.0.0.1:${port}`, messages: 1, bytes: 65_507 },
      },
    ]);
    expect(context.metrics.snapshot()).toMatchObject([
      { name: "gw_syslog_truncated_total", series: [{ value: 1 }] },
    ]);
    await sink.close();
  });

  it("a datagram is cut at max_datagram bytes", async () => {
    const sink = openSink({ port, sockType: "udp", maxDatagram: 480 });
    await sink.send(entries({ body: "x".repeat(1000) }));
    expect((await arrived(1))[0]?.length).toBe(480);
    await sink.close();
  });
});

describe("a udp port without a receiver", () => {
  it("a udp sink fails on ECONNREFUSED, and delivers once a receiver listens", async () => {
    const receiver = createSocket("udp4");
    receiver.bind(0, "127.0.0.1");
    await once(receiver, "listening");
    const { port } = receiver.address();
    await new Promise<void>((resolve) => receiver.close(() => resolve()));
    const sink = openSink({ port, sockType: "udp" });
    await expect(sink.send(numbered(0, 200))).rejects.toThrow(/\(udp\): .*ECONNREFUSED/);

    const again = createSocket("udp4");
    again.bind(port, "127.0.0.1");
    await once(again, "listening");
    const message = once(again, "message");
    await sink.send(numbered(7, 1));
    expect(String((await message)[0])).toContain('{"n":7');
    await sink.close();
    await new Promise<void>((resolve) => again.close(() => resolve()));
  });
});
