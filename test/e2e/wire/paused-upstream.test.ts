import { expect, it, onTestFinished } from "vitest";
import { Deadlines } from "../../../runtime/http/deadlines.js";
import { DEFAULT_LIMITS } from "../../../runtime/http/limits.js";
import type { UpstreamConnection, UpstreamUser } from "../../../runtime/proxy/upstream/connection.js";
import { ConnectionPool } from "../../../runtime/proxy/upstream/pool.js";
import { startUpstream } from "./gateway.js";
import { answer } from "./holding.js";

const TIMEOUTS = { connect: 1, send: 1, read: 1 };
const REQUEST = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

/** Events of one exchange; `data` also pauses the connection, as for a client that is full. */
function pausing(connection: () => UpstreamConnection): UpstreamUser & { told: string[] } {
  const told: string[] = [];
  return {
    told,
    connected: () => connection().sendHead(REQUEST, false, false, undefined),
    interim: () => {},
    head: () => told.push("head") > 0,
    text: () => void told.push("text"),
    bodyFollows: () => {},
    drained: () => {},
    failed: (failure) => void told.push(failure),
    switched: () => {},
    data() {
      connection().pause();
      return false;
    },
    end: () => void told.push("end"),
  };
}

it("a connection that the last piece of a response paused serves the next request", async () => {
  const chunkedOk = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n";
  const upstream = await startUpstream(answer(chunkedOk));
  const deadlines = new Deadlines(20);
  onTestFinished(() => deadlines.close());
  const target = { host: "127.0.0.1", port: upstream.port, tls: undefined };
  const settings = { size: 1, idleTimeout: 0, requests: 10 };
  const pool = new ConnectionPool(target, settings, DEFAULT_LIMITS, deadlines);
  onTestFinished(() => pool.close());
  const connection = pool.open();
  const first = pausing(() => connection);
  connection.serve(first, TIMEOUTS);
  await expect.poll(() => first.told).toEqual(["head", "end"]);
  expect(pool.takeIdle()).toBe(connection);
  const second = pausing(() => connection);
  connection.serve(second, TIMEOUTS);
  second.connected();
  await expect.poll(() => second.told).toEqual(["head", "end"]);
});
