import { createServer, get, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { createGzip, gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { ProcessGateway } from "../e2e/process/gateway.js";
import { memoryUnwatched, watchResident } from "../support/process-memory.js";

const LONG = process.env["GWC_ATTACK"] === "long";
const MB = 1_048_576;
/** Memory that a body of any length may cost in a streaming filter. */
const MOST = 20 * MB;
/**
 * Megabytes of the warm-up body. A worker that decodes grows once by 25 MB within its first 300 MB, and then
 * by +0.1 MB for 400 MB more or +3 MB for 1,024 MB.
 */
const WARM_UP = LONG ? 400 : 20;

const LINE = "a line of a log with secret=0123456789 in it, and what makes it longer\n";
const BLOCK = Buffer.from(LINE.repeat(Math.floor(MB / LINE.length)));
const LINES = BLOCK.length / LINE.length;
const MASKED = LINE.replace("secret=0123456789", "secret=*");

async function serve(answer: RequestListener): Promise<number> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** Starts one worker; `rule` filters all bodies of an upstream except those of `/plain`. */
async function startWorker(
  rule: object,
  answer: RequestListener,
): Promise<{ gateway: ProcessGateway; pid: number }> {
  const upstream = await serve(answer);
  const gateway = await ProcessGateway.start(
    {
      upstreams: [
        { id: "u", nodes: { [`127.0.0.1:${upstream}`]: 1 }, timeout: { connect: 60, send: 60, read: 60 } },
      ],
      routes: [
        { id: "plain", uri: "/plain", upstream_id: "u" },
        { id: "filtered", uri: "/*", upstream_id: "u", plugins: { "response-rewrite": { filters: [rule] } } },
      ],
    },
    { workers: 1 },
  );
  onTestFinished(() => gateway.end());
  const [worker] = await gateway.workers();
  if (worker === undefined) throw new Error("no worker");
  return { gateway, pid: worker.pid };
}

function request(port: number, path: string, fields: Record<string, string> = {}): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get({ host: "127.0.0.1", port, path, headers: fields, agent: false }, resolve).on("error", reject);
  });
}

/** Reads a response; the result has its first `keep` bytes. */
async function read(response: IncomingMessage, keep = 0): Promise<{ bytes: number; first: string }> {
  let bytes = 0;
  let first = "";
  for await (const piece of response as AsyncIterable<Buffer>) {
    if (first.length < keep) first += piece.toString("latin1", 0, keep - first.length);
    bytes += piece.length;
  }
  return { bytes, first };
}

/** Sends the number of megabytes in the path as fast as they are read, compressed if the path says gzip. */
const sendBlocks: RequestListener = ({ url = "" }, response) => {
  const [, count = "0"] = /(\d+)/.exec(url) ?? [];
  const coded = url.includes("gzip");
  if (coded) response.setHeader("Content-Encoding", "gzip");
  const out = coded ? createGzip({ level: 1 }) : response;
  if (coded) out.pipe(response);
  let left = Number(count);
  const more = () => {
    while (left > 0) {
      left--;
      if (!out.write(BLOCK)) {
        out.once("drain", more);
        return;
      }
    }
    out.end();
  };
  more();
};

const reason = memoryUnwatched === undefined ? "" : ` (${memoryUnwatched})`;
const MASK = { regex: "secret=[0-9]{1,20}", replace: "secret=*", scope: "global" };

describe.skipIf(reason !== "")(`a body through a streaming filter${reason}`, () => {
  it.each([
    ["plain", LONG ? 1_024 : 200, {}],
    ["gzip, for a client that takes none", LONG ? 1_024 : 100, {}],
    ["gzip, for a client that takes it", LONG ? 1_024 : 100, { "Accept-Encoding": "gzip" }],
  ])(
    "a body through a streaming filter costs a worker less than 20 MB: %s, %d MB",
    async (what, size, fields) => {
      const { gateway, pid } = await startWorker(MASK, sendBlocks);
      const path = what.startsWith("gzip") ? "/gzip" : "/";
      // The warm-up covers code that runs for the first time and the young generation, which grows to 16 MB
      // once.
      await read(await request(gateway.port, `${path}${WARM_UP}`, fields));
      const growth = watchResident(pid);
      const response = await request(gateway.port, `${path}${size}`, fields);
      const coded = "Accept-Encoding" in fields;
      expect(response.headers["content-encoding"]).toBe(coded ? "gzip" : undefined);
      const { bytes, first } = await read(response, MASKED.length);
      if (!coded) {
        expect(first).toBe(MASKED);
        expect(bytes).toBe(size * LINES * MASKED.length);
      }
      expect(growth()).toBeLessThan(MOST);
    },
    600_000,
  );
});

describe("a body that a filter buffers", () => {
  it("a filter that exceeds its time gives 502 while other requests are served", async () => {
    // The pattern is exponential and has a back reference, so that no linear engine accepts it.
    const rule = { regex: "(a+)+\\1b", replace: "$0", allow_slow: true };
    const { gateway } = await startWorker(rule, ({ url }, response) =>
      response.end(url === "/plain" ? "plain" : "a".repeat(300_000)),
    );
    let done = false;
    const slow = request(gateway.port, "/slow").then(async (response) => {
      await read(response);
      done = true;
      return response.statusCode;
    });
    let answered = 0;
    while (!done) {
      const response = await request(gateway.port, "/plain");
      expect(response.statusCode).toBe(200);
      await read(response);
      if (!done) answered++;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(await slow).toBe(502);
    expect(answered).toBeGreaterThan(20);
    expect(gateway.log("body_not_filtered").length).toBe(1);
  });

  it("a buffered body is filtered as a whole, both on the thread and on the event loop", async () => {
    const rule = { regex: "(x*)y(.*)", replace: "$2$1", scope: "global" };
    const text = (lines: number) => "xxyab\n".repeat(lines);
    const { gateway } = await startWorker(rule, ({ url = "" }, response) =>
      response.end(text(Number(url.slice(1)))),
    );
    for (const lines of [10, 100_000]) {
      const response = await request(gateway.port, `/${lines}`);
      const { bytes, first } = await read(response, 10 * lines);
      expect(first === "abxx\n".repeat(lines)).toBe(true);
      expect(response.headers["content-length"]).toBe(String(bytes));
    }
  });

  it("a body with five codings is rejected instead of passing unfiltered", async () => {
    let coded = Buffer.from(LINE);
    for (let i = 0; i < 5; i++) coded = gzipSync(coded);
    const rule = { regex: "secret=[0-9]{1,20}", replace: "secret=*", scope: "global" };
    const { gateway } = await startWorker(rule, (_request, response) => {
      response.setHeader("content-encoding", "gzip, gzip, gzip, gzip, gzip");
      response.end(coded);
    });
    expect((await request(gateway.port, "/coded")).statusCode).toBe(502);
  });
});
