import type { Socket } from "node:net";
import zlib from "node:zlib";
import { describe, expect, it } from "vitest";
import { flowOf } from "../../../compiler/regex/streaming.js";
import { translateRegex } from "../../../compiler/regex/translate.js";
import type { BodyFilter, Exchange } from "../../../runtime/abi/exchange.js";
import { filter } from "../../../runtime/abi/text/filter.js";
import { re2 } from "../../../runtime/abi/text/linear.js";
import { GET, listening, startGateway } from "./gateway.js";
import { collect } from "./holding.js";

/** A filter as the compiler emits it. */
function compiled(pattern: string, by: string, options: Parameters<typeof filter>[1] = {}): BodyFilter {
  const use = { captures: [], scope: "global" } as const;
  const translation = translateRegex(pattern, "", use);
  const flow = flowOf(pattern, "", { ...use, utf8: false });
  if (!translation.ok || flow.mode !== "stream") throw new Error("it does not stream");
  const { window, behind, partial } = flow;
  const rule = { pattern: new RegExp(translation.source, "g"), replacement: by, window, lookbehind: behind };
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

/** An upstream that sends only the bytes passed to `send`, and the bytes that a client has received of it. */
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
      ...(log && { acknowledge: (x: Exchange) => x.delayEndOfResponse(new Promise(() => {})) }),
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
  it("the head of a live stream reaches the client before any event", async () => {
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
    ["little that it takes at once", [compiled("password", "***", { syncBytes: 100 })]],
  ] as const)(
    "an event of a live stream arrives before the next one through a filter with %s",
    async (_, filters) => {
      await eachArrives(await live(filters), events);
    },
  );

  it("an event with a match of variable length arrives as soon as the match is decided", async () => {
    await eachArrives(await live([email, password]), [
      ['data: {"email":"a@b.c"} 1\n\n', "data: {-} 1\n\n"],
      ["data: password 2\n\n", "data: *** 2\n\n"],
    ]);
  });

  it("the beginning of a match is delayed until its rest arrives", async () => {
    const stream = await live([password]);
    await eachArrives(stream, [["data: 1\n\npass", "data: 1\n\n"]]);
    await eachArrives(stream, [["word 2\n\n", "*** 2\n\n"]]);
    expect(stream.received()).not.toContain("pass");
  });

  it("a filter of the linear engine delays only the events on which a match may depend", async () => {
    const source = "(?:\\w|\\d){1,12}@";
    const partial = /(?:[\w\u0100]|[\d\u0100]){1,12}[@\u0100]/g;
    const rule = {
      pattern: re2(new RegExp(source, "g"), 0, source),
      replacement: "-",
      window: 13,
      partial,
      pad: 13,
    };
    const stream = await live([filter([rule])]);
    stream.send(chunk("data: 1\n\ndata: 2\n\ndata: 3\n\n"));
    await expect.poll(stream.received).toContain("1\n\n");
    expect(stream.received()).not.toContain("3\n\n");
    stream.send(chunk("data: 4\n\ndata: 5\n\n"));
    await expect.poll(stream.received).toContain("3\n\n");
  });

  it("a long text in which no match can begin arrives though nothing follows", async () => {
    const stream = await live([long]);
    await eachArrives(stream, [[`${"x".repeat(15_000)}1\n\n`, "x1\n\n"]]);
  });

  it("each event arrives before the next while a logger delays the end of the response", async () => {
    await eachArrives(await live([password], { log: true }), events);
  });
});

type Coder = zlib.Gzip | zlib.BrotliCompress;
type Decoder = zlib.Gunzip | zlib.BrotliDecompress;

const CODINGS: readonly [coding: string, encoder: () => Coder, decoder: () => Decoder][] = [
  ["gzip", () => zlib.createGzip(), () => zlib.createGunzip()],
  ["br", () => zlib.createBrotliCompress(), () => zlib.createBrotliDecompress()],
  ["deflate", () => zlib.createDeflate(), () => zlib.createInflate()],
];

describe.each(CODINGS)("a live stream in %s", (coding, encoder, decoder) => {
  const fields = `Content-Encoding: ${coding}\r\n`;
  const request = asking(coding);

  it("each event of a coded stream arrives decoded before the next if the client accepts no coding", async () => {
    const stream = await live([password, email], { fields });
    const send = flushed(encoder(), stream);
    for (const [sent, got] of events) {
      await send(sent);
      await expect.poll(stream.received).toContain(got);
    }
  });

  it("each event of a coded stream arrives in the same coding before the next", async () => {
    const stream = await live([password, email], { fields, request });
    const decoded = decoding(stream.received, decoder());
    const send = flushed(encoder(), stream);
    for (const [sent, got] of events) {
      await send(sent);
      await expect.poll(decoded).toContain(got);
    }
    expect(stream.received()).toContain(fields.trimEnd());
  });

  it("the beginning of a match in a coded stream is delayed, and then arrives replaced", async () => {
    const stream = await live([password], { fields, request });
    const decoded = decoding(stream.received, decoder());
    const send = flushed(encoder(), stream);
    await send("data: 1\n\npass");
    await expect.poll(decoded).toContain("data: 1\n\n");
    await send("word 2\n\n");
    await expect.poll(decoded).toContain("*** 2\n\n");
    expect(decoded()).not.toContain("pass");
  });

  it("a coded stream is flushed while it continues without a pause", async () => {
    const stream = await live([password], { fields, request });
    const decoded = decoding(stream.received, decoder());
    const send = flushed(encoder(), stream);
    let n = 0;
    const goesOn = async () => {
      await send(`data: ${n++}\n\n`);
      return decoded();
    };
    await expect.poll(goesOn, { interval: 10 }).toContain("data: 1\n\n");
  });
});

/** Sends texts through an encoder that is flushed after each. */
function flushed(encoder: Coder, stream: Live): (text: string) => Promise<void> {
  let bytes = "";
  encoder.on("data", (data: Buffer) => {
    bytes += data.toString("latin1");
  });
  return async (text) => {
    encoder.write(text);
    await new Promise<void>((done) => encoder.flush(() => done()));
    stream.send(chunk(bytes));
    bytes = "";
  };
}

/** Decoded text so far of a chunked and coded body. */
function decoding(received: () => string, decoder: Decoder): () => string {
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
