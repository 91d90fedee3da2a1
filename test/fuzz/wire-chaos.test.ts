import { createHash } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { expect, it } from "vitest";
import type { BodyFilter, Exchange } from "../../runtime/abi/exchange.js";
import type { PipelineModule } from "../../runtime/abi/route-module.js";
import { chunked, fieldValues, pieces } from "../../runtime/control/in-process/wire-message.js";
import { startGateway, startUpstream } from "../e2e/wire/gateway.js";
import { numbers, type Random } from "../support/random.js";
import { RawClient } from "../support/raw-client.js";
import type { RawRequest, Script } from "../support/raw-upstream.js";

const CLIENTS = 12;
const EXCHANGES = 60;

const digest = (text: string) => createHash("sha1").update(text, "latin1").digest("hex");
const field = (request: RawRequest, name: string) => fieldValues(request.headers, name)[0] ?? "";

/**
 * Responds with the request's id and the digest of its body, followed by filler, in one of many manners or
 * not at all.
 */
function answer(request: RawRequest, next: Random): Script | undefined {
  const filler = "filler ".repeat([0, 10, 3_000, 40_000][next(4)] ?? 0);
  const body = `${field(request, "x-id")} ${digest(request.body)} ${filler}`;
  const ok = (fields: string, rest: string) => `HTTP/1.1 200 OK\r\n${fields}\r\n${rest}`;
  const byLength = ok(`Content-Length: ${body.length}\r\n`, body);
  switch (next(14)) {
    case 0:
      return { writes: [ok("Transfer-Encoding: chunked\r\n", chunked(body, 1 + next(9_000)))] };
    case 1:
      return { writes: pieces(ok("Transfer-Encoding: chunked\r\n", chunked(body, 700)), 1 + next(5_000)) };
    case 2:
      return { writes: [ok("", body)], end: true };
    case 3:
      return { writes: [ok(`Connection: close\r\nContent-Length: ${body.length}\r\n`, body)], end: true };
    case 4:
      return { writes: [byLength], end: true };
    case 5:
      return { writes: [byLength.slice(0, next(byLength.length))], end: true };
    case 6:
      return { writes: [], end: true };
    case 7:
      return { writes: [`${byLength}stray`] };
    case 8:
      return { writes: ["garbage\r\n\r\n"] };
    case 9:
      return { writes: ["HTTP/1.1 103 Early\r\n\r\n", byLength] };
    case 10:
      return { writes: pieces(byLength, 1 + next(20_000)) };
    default:
      return { writes: [byLength] };
  }
}

interface Tally {
  answered: number;
  refused: number;
  broken: number;
}

/**
 * One client: sends requests, some in pieces, some cut off, and expects its own id in every complete
 * response.
 */
async function converse(port: number, name: string, next: Random, tally: Tally): Promise<void> {
  let client: RawClient | undefined;
  for (let i = 0; i < EXCHANGES; i++) {
    client ??= await RawClient.open(port);
    const id = `${name}-${i}`;
    const body = "b".repeat([0, 5, 2_000, 90_000][next(4)] ?? 0) + id;
    const head = `POST /${id} HTTP/1.1\r\nHost: a\r\nX-Id: ${id}\r\n`;
    const text =
      next(3) === 0
        ? `GET /${id} HTTP/1.1\r\nHost: a\r\nX-Id: ${id}\r\n\r\n`
        : next(2) === 0
          ? `${head}Content-Length: ${body.length}\r\n\r\n${body}`
          : `${head}Transfer-Encoding: chunked\r\n\r\n${chunked(body, 1 + next(30_000))}`;
    const abandoned = next(12) === 0;
    try {
      if (abandoned) await client.send(text.slice(0, next(text.length)));
      else await client.send(...pieces(text, next(3) === 0 ? 1_000 + next(5_000) : text.length));
      if (abandoned || next(15) === 0) {
        client.socket.resetAndDestroy();
        client = undefined;
        continue;
      }
      const got = await client.response("GET");
      if (got.status === 200) {
        const sent = text.startsWith("GET") ? "" : body;
        expect(got.body.startsWith(`${id} ${digest(sent)} `)).toBe(true);
        tally.answered++;
      } else {
        expect([502, 503, 504]).toContain(got.status);
        tally.refused++;
      }
      if (got.closed || fieldValues(got.headers, "connection")[0] === "close") client = undefined;
    } catch (error) {
      // An interrupted response cuts the connection, and a write may meet a cut connection.
      if (!/ended early|EPIPE|ECONNRESET|socket/.test(String(error))) throw error;
      tally.broken++;
      client?.close();
      client = undefined;
    }
  }
  client?.close();
}

const filler: BodyFilter = {
  apply: (text) => text.replace("filler", "FILLER"),
  maxBytes: 10_000_000,
  oversize: "refuse",
};

const KEPT = 5_000;

/**
 * Captures both bodies, delays the last byte in every way, and expects that each exchange ends once with
 * consistent sizes.
 */
function logging(next: Random) {
  const ended = { acknowledged: 0, logged: 0 };
  const owner = {};
  const seen = new WeakSet<Exchange>();
  const hold = (): Promise<void> | undefined => {
    switch (next(8)) {
      case 0:
        return wait(next(20));
      case 1:
        return new Promise((resolve) => setImmediate(resolve));
      case 2:
        return Promise.resolve();
      case 3:
        return next(4) === 0 ? Promise.reject(new Error("not kept")) : undefined;
      default:
        return undefined;
    }
  };
  const module: Omit<PipelineModule, "id"> = {
    rewrite: (x) => x.captureRequest(owner, KEPT),
    headerFilter(x) {
      x.captureResponse(owner, KEPT);
      if (x.uri.endsWith("7")) x.response.filterBody(filler);
    },
    acknowledge(x) {
      ended.acknowledged++;
      expect(seen.has(x)).toBe(false);
      seen.add(x);
      x.delayEndOfResponse(hold());
    },
    log(x) {
      ended.logged++;
      expect(seen.has(x)).toBe(true);
      const request = x.captured(owner, "request");
      expect(request?.text.length).toBe(Math.min(request?.size ?? -1, KEPT));
      const response = x.captured(owner, "response");
      const sent = x.variable("body_bytes_sent");
      if (response !== undefined && x.response.status === 200 && x.bytesSent > 0)
        expect(response.size - Number(sent)).toBeLessThanOrEqual(16_384);
      if (response !== undefined) expect(Number(sent)).toBeLessThanOrEqual(response.size);
      expect(x.bytesSent).toBeGreaterThanOrEqual(Number(sent));
    },
  };
  return { module, ended };
}

it.each([1, 2, 3])(
  "every client gets its own responses while connections and upstreams break (seed %i)",
  async (seed) => {
    const choose = numbers(seed);
    const upstreams = await Promise.all(
      [0, 1].map(() => startUpstream((request) => answer(request, choose))),
    );
    const { module, ended } = logging(numbers(seed + 1_000));
    const gateway = await startGateway({
      nodes: upstreams.map(({ port }) => port),
      table: { timeout: { connect: 60, send: 60, read: 60 } },
      clock: "monotonic",
      module,
    });
    const tally = { answered: 0, refused: 0, broken: 0 };
    await Promise.all(
      Array.from({ length: CLIENTS }, (_, i) =>
        converse(gateway.port, `c${i}`, numbers(seed * 100 + i), tally),
      ),
    );
    expect(tally.answered).toBeGreaterThan((CLIENTS * EXCHANGES) / 2);
    expect(tally.broken).toBeGreaterThan(0);
    await wait(50);
    await expect
      .poll(() => gateway.server.stats())
      .toMatchObject({ inFlight: 0, bufferedBytes: 0, connections: 0 });
    expect(gateway.nodes.map(({ active }) => active)).toEqual([0, 0]);
    const { requests } = gateway.server.stats();
    expect(ended).toEqual({ acknowledged: requests, logged: requests });
    expect(gateway.events.filter(({ event }) => event === "module_failed")).toEqual([]);
  },
);
