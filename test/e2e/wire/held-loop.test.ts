import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { fieldValues } from "../../../runtime/control/in-process/wire-message.js";
import { GET, OK, proxyTo } from "./gateway.js";

/** Longer than each timeout below. */
const HOLD_MS = 3_000;
const TIMEOUT_MS = 2_000;
const PATIENCE = { timeout: 120_000 };

/** Stops the whole process, as SIGSTOP or a host that is frozen does. */
const hold = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, HOLD_MS);

/** Resolves among the timers: those that are due after a hold run before any socket is read. */
const untilTimers = () => wait(1);

describe("a gateway that was paused for longer than its timeouts", () => {
  it("a paused gateway serves the first request of a connection, sent within header_timeout", async () => {
    const gateway = await proxyTo(() => ({ writes: [OK] }), {
      clock: "monotonic",
      options: { limits: { headerTimeout: TIMEOUT_MS } },
    });
    const client = await gateway.client();
    await expect.poll(() => gateway.server.stats().connections).toBe(1);
    await untilTimers();
    client.socket.write(GET);
    hold();
    expect((await client.response("GET", PATIENCE)).status).toBe(200);
  });

  it("a paused gateway serves the next request of an idle connection, sent within idle_timeout", async () => {
    const gateway = await proxyTo(() => ({ writes: [OK] }), {
      clock: "monotonic",
      options: { limits: { idleTimeout: TIMEOUT_MS } },
    });
    const client = await gateway.client();
    await client.send(GET);
    await client.response("GET", PATIENCE);
    await untilTimers();
    client.socket.write(GET);
    hold();
    expect((await client.response("GET", PATIENCE)).status).toBe(200);
  });

  it("a gateway that stops serves a request that arrived before it closed the idle connection", async () => {
    const gateway = await proxyTo(() => ({ writes: [OK] }));
    const client = await gateway.client();
    await client.send(GET);
    await client.response("GET", PATIENCE);
    const closed = gateway.server.close(60_000);
    client.socket.write(GET);
    hold();
    const last = await client.response("GET", { ...PATIENCE, end: true });
    expect(last).toMatchObject({ status: 200, closed: true });
    expect(fieldValues(last.headers, "connection")).toEqual(["close"]);
    client.close();
    await closed;
  });
});
