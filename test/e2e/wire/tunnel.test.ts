import { once } from "node:events";
import type { Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { fieldValues } from "../../../runtime/control/in-process/wire-message.js";
import { DeadlineClock } from "../../support/deadline-clock.js";
import { listening, OK, proxyTo, startGateway } from "./gateway.js";
import { MOMENT } from "./holding.js";

/** Key and accept value of RFC 6455 section 1.3. */
const KEY = "dGhlIHNhbXBsZSBub25jZQ==";
const ACCEPT = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";
const handshake = (...lines: string[]) =>
  `GET /ws HTTP/1.1\r\nHost: a\r\n${lines.map((line) => `${line}\r\n`).join("")}\r\n`;
const FIELDS = [
  "Connection: Upgrade",
  "Upgrade: websocket",
  `Sec-WebSocket-Key: ${KEY}`,
  "Sec-WebSocket-Version: 13",
];
const UPGRADE = handshake(...FIELDS);
const SWITCH = `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: ${ACCEPT}\r\n\r\n`;

/** An upstream that switches protocols and then echoes its input in capitals. */
const shouting = () =>
  listening((socket) => {
    socket.removeAllListeners("data");
    socket.write(`${SWITCH}hello`);
    socket.on("data", (piece: Buffer) => socket.write(piece.toString("latin1").toUpperCase()));
  });

const read = async (client: { socket: NodeJS.ReadableStream }, length: number): Promise<string> => {
  let text = "";
  const collect = (piece: Buffer) => {
    text += piece.toString("latin1");
  };
  client.socket.on("data", collect);
  await expect.poll(() => text.length).toBe(length);
  client.socket.off("data", collect);
  return text;
};

describe("an upgrade on a route with enable_websocket", () => {
  it("an upgrade opens a tunnel in both directions and forwards early bytes", async () => {
    const upstream = await shouting();
    const gateway = await startGateway({ nodes: [upstream.port], enableWebsocket: true });
    const client = await gateway.client();
    await client.send(`${UPGRADE}early`);
    const got = await client.response("GET");
    expect(got.status).toBe(101);
    expect(fieldValues(got.headers, "upgrade")).toEqual(["websocket"]);
    expect(fieldValues(got.headers, "connection")).toEqual(["Upgrade"]);
    expect(fieldValues(got.headers, "sec-websocket-accept")).toEqual([ACCEPT]);
    expect(got.stray + (await read(client, "helloEARLY".length - got.stray.length))).toBe("helloEARLY");
    await client.send("more");
    expect(await read(client, 4)).toBe("MORE");
    expect(gateway.server.stats().inFlight).toBe(1);
  });

  it("a tunnel carries 3 MB unchanged", async () => {
    const upstream = await shouting();
    const gateway = await startGateway({ nodes: [upstream.port], enableWebsocket: true });
    const client = await gateway.client();
    await client.send(UPGRADE);
    const { stray } = await client.response("GET");
    await read(client, "hello".length - stray.length);
    const sent = "abcdefghij".repeat(300_000);
    const reading = read(client, sent.length);
    client.socket.write(sent, "latin1");
    expect(await reading).toBe(sent.toUpperCase());
  });

  it.each(["client", "upstream"] as const)(
    "a tunnel ends on both sides when the %s closes its connection",
    async (closes) => {
      const ended: string[] = [];
      let upstreamSocket: Socket | undefined;
      const upstream = await listening((socket) => {
        socket.removeAllListeners("data");
        socket.write(SWITCH);
        socket.resume();
        socket.once("close", () => ended.push("upstream"));
        upstreamSocket = socket;
      });
      const gateway = await startGateway({ nodes: [upstream.port], enableWebsocket: true });
      const client = await gateway.client();
      client.socket.once("close", () => ended.push("client"));
      await client.send(UPGRADE);
      expect((await client.response("GET")).status).toBe(101);
      // A client that half-closes only when it has read the end of the other side.
      client.socket.once("end", () => client.socket.end());
      client.socket.resume();
      if (closes === "client") client.close();
      else upstreamSocket?.end();
      await expect.poll(() => gateway.server.stats()).toMatchObject({ connections: 0, inFlight: 0 });
      await expect.poll(() => ended.sort()).toEqual(["client", "upstream"]);
    },
  );

  // The kernel takes 3 to 5 MB for a client that reads nothing: with one of these sizes it is full when the upstream ends.
  it.each(Array.from({ length: 24 }, (_, i) => 2_500_000 + i * 110_000))(
    "a client that reads late receives all %i bytes that the upstream sent before it ended",
    async (size) => {
      const upstream = await listening((socket) => {
        socket.removeAllListeners("data");
        socket.end(SWITCH + "x".repeat(size));
      });
      const gateway = await startGateway({ nodes: [upstream.port], enableWebsocket: true });
      const { socket } = await gateway.client();
      socket.pause();
      socket.write(UPGRADE);
      await wait(MOMENT);
      let taken = 0;
      socket.on("data", (piece: Buffer) => {
        taken += piece.length;
      });
      socket.resume();
      await once(socket, "end");
      expect(taken).toBeGreaterThan(size);
    },
  );

  it("a tunnel is closed after the read timeout without data", async () => {
    const upstream = await shouting();
    const clock = new DeadlineClock();
    const gateway = await startGateway({
      nodes: [upstream.port],
      enableWebsocket: true,
      table: { timeout: { connect: 1, send: 1, read: 1.5 } },
      clock,
    });
    const client = await gateway.client();
    await client.send(UPGRADE);
    const { stray } = await client.response("GET");
    await read(client, "hello".length - stray.length);
    for (let i = 0; i < 5; i++) {
      await clock.advance(1_500);
      const answer = read(client, 1);
      await client.send("x");
      expect(await answer).toBe("X");
    }
    await clock.advance(1_501);
    await expect.poll(() => client.socket.readableEnded || client.socket.destroyed).toBe(true);
  });

  it("an upgrade that the upstream rejects is an ordinary response", async () => {
    const gateway = await proxyTo(() => ({ writes: ["HTTP/1.1 403 No\r\nContent-Length: 2\r\n\r\nno"] }), {
      enableWebsocket: true,
    });
    const client = await gateway.client();
    await client.send(UPGRADE);
    expect(await client.response("GET")).toMatchObject({ status: 403, body: "no" });
    await client.send(UPGRADE);
    expect(await client.response("GET")).toMatchObject({ status: 403, body: "no" });
  });
});

describe("the 101 of a WebSocket", () => {
  const FIELDS_OF_UPSTREAM =
    "X-Secret: s3cret\r\nX-Powered-By: shouter\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n";
  /** Opens the tunnel through these plugins; the upstream's 101 has more headers. */
  const opened = async (settings: Parameters<typeof startGateway>[0]) => {
    const upstream = await listening((socket) => {
      socket.removeAllListeners("data");
      const protocol = "Sec-WebSocket-Protocol: chat\r\n";
      socket.write(SWITCH.replace("\r\n\r\n", `\r\n${protocol}${FIELDS_OF_UPSTREAM}\r\n`));
      socket.on("data", (piece: Buffer) => socket.write(piece.toString("latin1").toUpperCase()));
    });
    const gateway = await startGateway({ nodes: [upstream.port], enableWebsocket: true, ...settings });
    const client = await gateway.client();
    await client.send(UPGRADE);
    return { gateway, client, got: await client.response("GET") };
  };

  it("a 101 has the header edits of the route and of global rules, and the tunnel opens", async () => {
    const { client, got } = await opened({
      globalRules: [{ headerFilter: (x) => x.response.headers.delete("x-powered-by") }],
      module: {
        headerFilter(x) {
          if (x.response.status !== 101) return;
          const { headers } = x.response;
          headers.append("Strict-Transport-Security", "max-age=1");
          headers.delete("x-secret");
          headers.set("X-Powered-By", "gw");
          headers.set("Server", "none");
        },
      },
    });
    expect(got.status).toBe(101);
    expect(fieldValues(got.headers, "strict-transport-security")).toEqual(["max-age=1"]);
    expect(fieldValues(got.headers, "x-secret")).toEqual([]);
    expect(fieldValues(got.headers, "x-powered-by")).toEqual(["gw"]);
    expect(fieldValues(got.headers, "server")).toEqual(["none"]);
    expect(fieldValues(got.headers, "set-cookie")).toEqual(["a=1", "b=2"]);
    await client.send("more");
    expect(got.stray + (await read(client, 4 - got.stray.length))).toBe("MORE");
  });

  it("a plugin cannot change the handshake headers, the status or the tunnel of a 101", async () => {
    const { client, got } = await opened({
      module: {
        headerFilter(x) {
          const { headers } = x.response;
          headers.set("Sec-WebSocket-Accept", "forged");
          headers.delete("sec-websocket-protocol");
          headers.append("Sec-WebSocket-Extensions", "permessage-deflate");
          headers.append("Sec-WebSocket-Accept", "twice");
          headers.set("Connection", "close");
          headers.delete("upgrade");
          x.response.status = 200;
          x.response.replaceBody("new");
        },
      },
    });
    expect(got.status).toBe(101);
    expect(fieldValues(got.headers, "sec-websocket-accept")).toEqual([ACCEPT]);
    expect(fieldValues(got.headers, "sec-websocket-protocol")).toEqual(["chat"]);
    expect(fieldValues(got.headers, "sec-websocket-extensions")).toEqual([]);
    expect(fieldValues(got.headers, "connection")).toEqual(["Upgrade"]);
    expect(fieldValues(got.headers, "upgrade")).toEqual(["websocket"]);
    await client.send("more");
    expect(got.stray + (await read(client, 4 - got.stray.length))).toBe("MORE");
  });

  it("an upgrade fails with 500 if headerFilter throws, and the upstream's connection ends", async () => {
    const { gateway, got } = await opened({
      module: {
        headerFilter(x) {
          if (x.response.status === 101) throw new Error("broken");
        },
      },
    });
    expect(got.status).toBe(500);
    await expect.poll(() => gateway.server.stats()).toMatchObject({ inFlight: 0 });
    expect(gateway.nodes.map(({ active }) => active)).toEqual([0]);
  });
});

describe("invalid WebSocket handshakes", () => {
  const without = (name: string) => FIELDS.filter((line) => !line.startsWith(`${name}:`));
  const cases: [what: string, request: string][] = [
    ["h2c", handshake("Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABk")],
    ["h2c with the fields of a handshake", UPGRADE.replace("websocket", "h2c")],
    ["TLS/1.0", handshake("Connection: Upgrade", "Upgrade: TLS/1.0")],
    ["websocket with a version", UPGRADE.replace("Upgrade: websocket", "Upgrade: websocket/13")],
    ["no key", handshake(...without("Sec-WebSocket-Key"))],
    ["a key that is not 16 bytes", UPGRADE.replace(KEY, "x")],
    ["two keys", handshake(...FIELDS, `Sec-WebSocket-Key: ${KEY}`)],
    ["no version", handshake(...without("Sec-WebSocket-Version"))],
    ["version 777", UPGRADE.replace("Version: 13", "Version: 777")],
    ["no Connection: Upgrade", handshake(...without("Connection"))],
    ["POST", UPGRADE.replace("GET", "POST")],
    ["HTTP/1.0", UPGRADE.replace("HTTP/1.1", "HTTP/1.0")],
    ["a body", `${UPGRADE.replace("\r\n\r\n", "\r\nContent-Length: 2\r\n\r\n")}hi`],
  ];
  it.each(cases)(
    "a request that is no WebSocket handshake is forwarded without Upgrade: %s",
    async (_, request) => {
      const gateway = await proxyTo(() => ({ writes: [OK] }), { enableWebsocket: true });
      const client = await gateway.client();
      await client.send(request);
      expect((await client.response("GET")).status).toBe(200);
      const names = gateway.upstream.requests[0]?.headers.map(([name]) => name.toLowerCase());
      expect(names).not.toContain("upgrade");
      expect(names).not.toContain("connection");
    },
  );

  it("an upgrade that offers several protocols is forwarded with websocket only", async () => {
    const gateway = await proxyTo(() => ({ writes: [OK] }), { enableWebsocket: true });
    const client = await gateway.client();
    await client.send(UPGRADE.replace("Upgrade: websocket", "Upgrade: h2c, WebSocket"));
    expect((await client.response("GET")).status).toBe(200);
    expect(fieldValues(gateway.upstream.requests[0]?.headers ?? [], "upgrade")).toEqual(["websocket"]);
  });

  it.each([
    ["another protocol", SWITCH.replace("Upgrade: websocket", "Upgrade: h2c")],
    ["the answer to another key", SWITCH.replace(ACCEPT, "y")],
    ["no answer to the key", SWITCH.replace(/Sec-WebSocket-Accept.*\r\n/, "")],
  ])("a request fails with 502 if the upstream's 101 has %s", async (_, response) => {
    const gateway = await proxyTo(() => ({ writes: [response] }), { enableWebsocket: true });
    const client = await gateway.client();
    await client.send(UPGRADE);
    expect((await client.response("GET")).status).toBe(502);
    await client.send(UPGRADE);
    expect((await client.response("GET")).status).toBe(502);
  });
});

describe("an upgrade on another route", () => {
  it("an upgrade is not forwarded without enable_websocket", async () => {
    const gateway = await proxyTo(() => ({ writes: [OK] }));
    const client = await gateway.client();
    await client.send(UPGRADE);
    expect((await client.response("GET")).status).toBe(200);
    const names = gateway.upstream.requests[0]?.headers.map(([name]) => name.toLowerCase());
    expect(names).not.toContain("upgrade");
    expect(names).not.toContain("connection");
  });
});
