import { describe, expect, it } from "vitest";
import type { Exchange } from "../../../runtime/abi/exchange.js";
import { DeadlineClock } from "../../support/deadline-clock.js";
import { listening, OK, startGateway } from "./gateway.js";
import { body, chunked, keeping, post } from "./keeping.js";

const refusing = { access: (x: Exchange) => x.respond(401, "no") };
const HEAD = "POST / HTTP/1.1\r\nHost: a\r\n";

/** Sends `head`, and the other parts one after the other once the response has arrived. */
async function answeredEarly(head: string, ...rest: string[]) {
  const { settings, logged } = keeping(200_000, refusing);
  const gateway = await startGateway(settings);
  const client = await gateway.client();
  await client.send(head);
  expect((await client.response("POST")).status).toBe(401);
  for (const part of rest) await client.send(part);
  return { client, gateway, logged };
}

describe("the record of a request whose response precedes its body", () => {
  const long = "0123456789".repeat(10_000);

  it.each([
    ["of known length", `${HEAD}Content-Length: 10\r\n\r\n`, ["hello", "world"], "helloworld"],
    ["whose beginning came with the head", `${HEAD}Content-Length: 10\r\n\r\nhello`, ["world"], "helloworld"],
    [
      "in chunks, on a connection that closes",
      `${HEAD}Transfer-Encoding: chunked\r\n\r\n`,
      ["5\r\nhello\r\n", "5\r\nworld\r\n0\r\n\r\n"],
      "helloworld",
    ],
    ["behind Connection: close", `${HEAD}Connection: close\r\nContent-Length: 5\r\n\r\nhe`, ["llo"], "hello"],
    [
      "too long to keep the connection for",
      `${HEAD}Content-Length: ${long.length}\r\n\r\n`,
      [long.slice(0, 60_000), long.slice(60_000)],
      long,
    ],
  ])("the record of an early response has the complete body %s", async (_, head, rest, expected) => {
    const { logged } = await answeredEarly(head, ...rest);
    const { request, status, length } = await logged();
    expect(request).toEqual(body(expected));
    expect(status).toBe(401);
    expect(length).toBe(head.indexOf("\r\n\r\n") + 4 + expected.length);
  });

  it("the request length includes a late body that no logger captures", async () => {
    const lengths: number[] = [];
    const log = (x: Exchange) => void lengths.push(x.requestLength);
    const gateway = await startGateway({ module: { ...refusing, log } });
    const client = await gateway.client();
    const head = `${HEAD}Connection: close\r\nContent-Length: 10\r\n\r\n`;
    await client.send(`${head}hello`);
    await client.response("POST");
    await client.send("world");
    await expect.poll(() => lengths).toEqual([head.length + 10]);
  });

  it("the record of an early response is logged before the next request on the connection", async () => {
    const { client, logged } = await answeredEarly(
      `${HEAD}Content-Length: 10\r\n\r\nhello`,
      "world",
      post("again"),
    );
    expect((await client.response("POST")).status).toBe(401);
    expect((await logged()).request).toEqual(body("helloworld"));
    expect((await logged(1)).request).toEqual(body("again"));
  });

  it.each([
    ["the client goes", (client: { close(): void }) => client.close()],
    ["the framing breaks", (client: { send(text: string): Promise<void> }) => client.send("zz\r\n")],
  ])("the record of an early response has the bytes that had arrived when %s", async (_, event) => {
    const head = `${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`;
    const { client, gateway, logged } = await answeredEarly(head);
    await event(client);
    expect(await logged()).toMatchObject({ request: body("hello"), status: 401 });
    await expect.poll(() => gateway.server.stats().inFlight).toBe(0);
    expect(gateway.server.stats().bufferedBytes).toBe(0);
  });

  it.each([
    ["a kept connection", `${HEAD}Content-Length: 10\r\n\r\nhello`],
    ["a connection that closes", `${HEAD}Connection: close\r\nContent-Length: 10\r\n\r\nhello`],
  ])("a record is logged after the timeout if the client stops sending on %s", async (_, head) => {
    const clock = new DeadlineClock();
    const { settings, logged } = keeping(100, refusing);
    const gateway = await startGateway({ ...settings, clock });
    const client = await gateway.client();
    await client.send(head);
    expect((await client.response("POST")).status).toBe(401);
    expect((await clock.advanceUntil(logged())).request).toEqual(body("hello"));
  });

  it("the record has body bytes that arrive after the early response of an upstream", async () => {
    const { settings, logged } = keeping(100);
    const early = await listening((socket) => socket.write(OK));
    const gateway = await startGateway({ nodes: [early.port], ...settings });
    const client = await gateway.client();
    await client.send(`${HEAD}Content-Length: 10\r\n\r\nhello`);
    expect((await client.response("POST")).status).toBe(200);
    await client.send("world");
    expect((await logged()).request).toEqual(body("helloworld"));
  });

  it("the body is captured if an earlier phase responds, also in chunks", async () => {
    const owner = {};
    const bodies: (string | undefined)[] = [];
    const module = {
      rewrite: (x: Exchange) => x.respond(302, ""),
      captureRequest: (x: Exchange) => x.captureRequest(owner, 100),
      log: (x: Exchange) => void bodies.push(x.captured(owner, "request")?.text),
    };
    const gateway = await startGateway({ module });
    const client = await gateway.client();
    await client.send(post("hello"));
    expect((await client.response("POST")).status).toBe(302);
    await client.send(chunked("wor", "ld"));
    expect((await client.response("POST")).status).toBe(302);
    expect(bodies).toEqual(["hello", "world"]);
  });
});

describe("an early response that waits for its record", () => {
  /** Acknowledges at once and stores the body that was captured until then. */
  function acknowledging(maxBytes: number) {
    const bodies: (string | undefined)[] = [];
    const owner = {};
    const module = {
      ...refusing,
      captureRequest: (x: Exchange) => x.captureRequest(owner, maxBytes),
      acknowledge(x: Exchange) {
        bodies.push(x.captured(owner, "request")?.text);
        x.delayEndOfResponse(Promise.resolve());
      },
    };
    return { module, bodies };
  }

  it("an early response waits for the request body that its record captures", async () => {
    const { module, bodies } = acknowledging(100);
    const gateway = await startGateway({ module });
    const client = await gateway.client();
    await client.send(`${HEAD}Content-Length: 10\r\n\r\nhello`);
    await client.send("world");
    expect((await client.response("POST")).status).toBe(401);
    expect(bodies).toEqual(["helloworld"]);
  });

  it("an early response waits for no more of the body than its record captures", async () => {
    const { module, bodies } = acknowledging(8);
    const gateway = await startGateway({ module });
    const client = await gateway.client();
    await client.send(`${HEAD}Content-Length: 1000000000\r\n\r\nhello`);
    await client.send("world");
    expect((await client.response("POST")).status).toBe(401);
    expect(bodies).toEqual(["hellowor"]);
  });

  it("an early response ends with its record if the client stops sending", async () => {
    const clock = new DeadlineClock();
    const { module, bodies } = acknowledging(100);
    const gateway = await startGateway({ module, clock });
    const client = await gateway.client();
    await client.send(`${HEAD}Content-Length: 10\r\n\r\nhello`);
    await expect.poll(() => gateway.server.stats().inFlight).toBe(1);
    await clock.advanceUntil(expect.poll(() => gateway.server.stats().inFlight).toBe(0) as Promise<void>);
    expect(bodies).toEqual(["hello"]);
  });
});
