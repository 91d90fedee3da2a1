import type { Socket } from "node:net";
import { createGunzip, createGzip, type Gzip } from "node:zlib";
import { describe, expect, it } from "vitest";
import { flowOf } from "../../../compiler/regex/streaming.js";
import { translateRegex } from "../../../compiler/regex/translate.js";
import type { BodyFilter, Exchange } from "../../../runtime/abi/exchange.js";
import { filter } from "../../../runtime/abi/text/filter.js";
import { GET, listening, startGateway } from "./gateway.js";
import { collect } from "./holding.js";

/** A filter as the compiler makes it. */
function compiled(pattern: string, by: string, options: Parameters<typeof filter>[1] = {}): BodyFilter {
  const use = { captures: [], scope: "global" } as const;
  const translation = translateRegex(pattern, "", use);
  const flow = flowOf(pattern, "", { ...use, utf8: false });
  if (!translation.ok || flow.mode !== "stream") throw new Error("it does not stream");
  const { window, behind, partial } = flow;
  const rule = { pattern: new RegExp(translation.source, "g"), by, window, behind };
  const more = partial && { partial: new RegExp(partial.source, "g"), pad: partial.pad };
  return filter([{ ...rule, ...more }], options);
}

const password = compiled("password", "***");
const email = compiled('"email":"[^"]{0,200}"', "-");
const long = compiled("<(?:[^>]{0,20000})>", "-");

const HEAD = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n";
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;

interface Live {
  send(bytes: string): void;
  received: () => string;
}

/** An upstream that sends nothing but what it is told, and what a client has received of it. */
async function live(
  filters: readonly BodyFilter[],
  { fields = "", request = GET, log = false } = {},
): Promise<Live> {
  let upstream: Socket | undefined;
  const { port } = await listening((socket) => {
    upstream = socket;
    socket.write(`${HEAD}${fields}\r\n`);
  });
  const gateway = await startGateway({
    nodes: [port],
    module: {
      headerFilter(x: Exchange) {
        for (const one of filters) x.response.filterBody(one);
      },
      ...(log && { acknowledge: (x: Exchange) => x.holdLastByte(new Promise(() => {})) }),
    },
  });
  const client = await gateway.client();
  const received = collect(client.socket);
  await client.send(request);
  await expect.poll(() => upstream).toBeDefined();
  return { send: (bytes) => void upstream?.write(bytes, "latin1"), received };
}

/** Each event reaches the client before the next one is sent. */
async function eachArrives(
  { send, received }: Live,
  events: readonly (readonly [sent: string, got: string])[],
) {
  for (const [sent, got] of events) {
    send(chunk(sent));
    await expect.poll(received).toContain(got);
  }
}

const asking = (coding: string) => GET.replace("\r\n\r\n", `\r\nAccept-Encoding: ${coding}\r\n\r\n`);
const events = [1, 2, 3, 4].map((n) => [`data: ${n}\n\n`, `${n}\n\n`] as const);

describe("a live stream", () => {
  it("begins with its head before anything else has come", async () => {
    const { received } = await live([password]);
    await expect.poll(received).toContain("\r\n\r\n");
  });

  it.each([
    ["a text", [password]],
    ["a pattern of variable length", [email]],
    ["a pattern with a long reach", [long]],
    ["several filters", [password, email, long]],
    ["a stated largest size", [compiled("password", "***", { maxBytes: 1_000_000 })]],
    [
      "a stated largest size that lets others pass",
      [compiled("password", "***", { maxBytes: 1_000_000, oversize: "pass" })],
    ],
    ["little that it takes at once", [compiled("password", "***", { atOnce: 100 })]],
  ] as const)("gives each event before the next through a filter with %s", async (_, filters) => {
    await eachArrives(await live(filters), events);
  });

  it("gives an event with a match of variable length as soon as the match is decided", async () => {
    await eachArrives(await live([email, password]), [
      ['data: {"email":"a@b.c"} 1\n\n', "data: {-} 1\n\n"],
      ["data: password 2\n\n", "data: *** 2\n\n"],
    ]);
  });

  it("waits with the beginning of a match, however long it takes", async () => {
    const stream = await live([password]);
    await eachArrives(stream, [["data: 1\n\npass", "data: 1\n\n"]]);
    await eachArrives(stream, [["word 2\n\n", "*** 2\n\n"]]);
    expect(stream.received()).not.toContain("pass");
  });

  it("gives a long text that no match can begin in, when nothing more comes", async () => {
    const stream = await live([long]);
    await eachArrives(stream, [[`${"x".repeat(15_000)}1\n\n`, "x1\n\n"]]);
  });

  it("gives each event before the next while a log holds the end of the response", async () => {
    await eachArrives(await live([password], { log: true }), events);
  });
});

describe("a coded live stream", () => {
  /** Sends events through an encoder that is flushed behind each. */
  async function coded(stream: Live, encoder: Gzip, check: (n: number) => Promise<void>) {
    let bytes = "";
    encoder.on("data", (data: Buffer) => {
      bytes += data.toString("latin1");
    });
    for (const n of [1, 2, 3]) {
      encoder.write(`data: ${n}\n\n`);
      await new Promise<void>((flushed) => encoder.flush(() => flushed()));
      stream.send(chunk(bytes));
      bytes = "";
      await check(n);
    }
  }

  it("gives each event before the next to a client that takes no coding", async () => {
    const stream = await live([password, email], { fields: "Content-Encoding: gzip\r\n" });
    await coded(stream, createGzip(), (n) => expect.poll(stream.received).toContain(`data: ${n}\n\n`));
  });

  it("gives each event before the next in the same coding", async () => {
    const stream = await live([password, email], {
      fields: "Content-Encoding: gzip\r\n",
      request: asking("gzip"),
    });
    const decoded = decoding(stream.received, createGunzip());
    await coded(stream, createGzip(), (n) => expect.poll(decoded).toContain(`data: ${n}\n\n`));
  });

  it("is flushed while it goes on without a pause", async () => {
    const stream = await live([password], { fields: "Content-Encoding: gzip\r\n", request: asking("gzip") });
    const decoded = decoding(stream.received, createGunzip());
    const encoder = createGzip();
    let bytes = "";
    encoder.on("data", (data: Buffer) => {
      bytes += data.toString("latin1");
    });
    let n = 0;
    await expect
      .poll(
        async () => {
          encoder.write(`data: ${n++}\n\n`);
          await new Promise<void>((flushed) => encoder.flush(() => flushed()));
          stream.send(chunk(bytes));
          bytes = "";
          return decoded();
        },
        { interval: 10 },
      )
      .toContain("data: 1\n\n");
  });
});

/** The text so far of a chunked body in a coding. */
function decoding(received: () => string, decoder: ReturnType<typeof createGunzip>): () => string {
  let text = "";
  let read = 0;
  decoder.on("data", (bytes: Buffer) => {
    text += bytes.toString("latin1");
  });
  return () => {
    const all = received();
    if (read === 0) read = all.indexOf("\r\n\r\n") < 0 ? 0 : all.indexOf("\r\n\r\n") + 4;
    for (;;) {
      const end = read === 0 ? -1 : all.indexOf("\r\n", read);
      const length = end < 0 ? 0 : Number.parseInt(all.slice(read, end), 16);
      if (end < 0 || all.length < end + length + 4) return text;
      decoder.write(Buffer.from(all.slice(end + 2, end + 2 + length), "latin1"));
      read = end + length + 4;
    }
  };
}
