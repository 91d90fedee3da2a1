import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Duplex } from "node:stream";
import { type ConnectionOptions, connect, type TLSSocket } from "node:tls";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type Issued, issue } from "../../support/certificates.js";
import { until } from "../../support/patience.js";
import { fetchOver, handshake, plainTo, type SecureHarness, secureGateway, wholeOf } from "./harness.js";

// Open connections and sessions of clients after the rules for client certificates changed since their
// handshake.

let authority: Issued;
let other: Issued;
let own: Issued;
let server: Issued;
let renewed: Issued;
beforeAll(() => {
  authority = issue({ names: ["authority.test"], authority: true });
  other = issue({ names: ["other.test"], authority: true });
  own = issue({ names: ["client.test"], by: authority });
  server = issue({ names: ["*.example"] });
  renewed = issue({ names: ["*.example"] });
});

/** An upstream that responds when the test releases it, to `/stream` in part, and accepts any upgrade. */
async function slow() {
  const waiting: ServerResponse[] = [];
  const seen: string[] = [];
  const upstream = createServer((request, response) => {
    seen.push(request.url ?? "");
    if (request.url === "/slow") waiting.push(response);
    else if (request.url === "/stream") response.write("data: 1\n\n");
    else response.end("ok");
  });
  upstream.on("upgrade", (_request, socket) => {
    socket.on("error", () => {});
    const accept = "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n${accept}\r\n\r\n`,
    );
  });
  upstream.listen(0, "127.0.0.1");
  await once(upstream, "listening");
  onTestFinished(() => {
    upstream.close();
    upstream.closeAllConnections();
  });
  return { port: (upstream.address() as AddressInfo).port, waiting, seen };
}

interface Trust extends SecureHarness {
  /** Replaces the certificates in use. */
  change(ssls: object[], ssl?: object): Promise<void>;
  waiting: ServerResponse[];
  seen: string[];
}

async function harness(ssls: object[], ssl: object = {}, gw: object = {}): Promise<Trust> {
  const { port, waiting, seen } = await slow();
  const nodes = { [`127.0.0.1:${port}`]: 1 };
  const routes = [{ id: "r", uri: "/*", enable_websocket: true, upstream: { nodes } }];
  const gateway = await secureGateway({ routes, ssls }, ssl, gw);
  const change = async (after: object[], settings = ssl) =>
    expect(await gateway.rewrite({ routes, ssls: after }, settings)).toBe(true);
  return { ...gateway, change, waiting, seen };
}

const closed = (more: object = {}) => ({
  id: "closed",
  sni: "closed.example",
  ...server,
  client: { ca: authority.cert },
  ...more,
});
const open = (more: object = {}) => ({ id: "open", sni: "open.example", ...server, ...more });

/** The key of RFC 6455 section 1.3. */
const KEY = "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

/** An idle connection that has received a response. */
async function kept(port: number, servername: string, more: ConnectionOptions = own): Promise<TLSSocket> {
  const socket = await handshake(port, { servername, ...more });
  socket.write(`GET /first HTTP/1.1\r\nHost: ${servername || "open.example"}\r\n\r\n`);
  const [answer] = (await once(socket, "data")) as [Buffer];
  expect(answer.toString("latin1")).toMatch(/^HTTP\/1\.1 200 /);
  return socket;
}

describe("an idle connection", () => {
  it.each([
    ["other authorities", "closed", () => [closed({ client: { ca: other.cert } })]],
    ["one authority more", "closed", () => [closed({ client: { ca: authority.cert + other.cert } })]],
    ["another depth", "closed", () => [closed({ client: { ca: authority.cert, depth: 0 } })]],
    ["no authorities any more", "closed", () => [closed({ client: undefined })]],
    ["authorities for the first time", "open", () => [open({ client: { ca: authority.cert } })]],
    ["no certificate any more", "open", () => [closed()]],
    ["a certificate that is switched off", "closed", () => [closed({ status: 0 }), open()]],
    ["the same authorities by another row", "closed", () => [closed({ id: "moved" })]],
    ["authorities by a row of its own", "open", () => [closed({ id: "new", sni: "open.example" })]],
    ["a wildcard without authorities", "closed", () => [open({ sni: "*.example" })]],
  ])("an idle connection ends when its server name has %s", async (_what, name, next) => {
    const { port, change } = await harness([closed(), open()]);
    const socket = await kept(port, `${name}.example`);
    const rest = wholeOf(socket);
    await change(next());
    expect(await rest).toBe("");
  });

  it.each([
    ["certificate", "closed", () => [closed(renewed), open()]],
    ["further names", "closed", () => [closed({ sni: undefined, snis: ["closed.example", "x.example"] })]],
    ["rules for others", "open", () => [closed({ client: { ca: other.cert } }), open()]],
  ])("an idle connection stays open when its server name has another %s", async (_what, name, next) => {
    const { port, change } = await harness([closed(), open()]);
    const socket = await kept(port, `${name}.example`);
    await change(next());
    expect(await fetchOver(socket, "/", `${name}.example`)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it("an idle connection without a server name ends when fallback_sni starts to require client certificates", async () => {
    const { port, change } = await harness([closed(), open()], { fallback_sni: "open.example" });
    const rest = wholeOf(await kept(port, ""));
    await change([closed(), open()], { fallback_sni: "closed.example" });
    expect(await rest).toBe("");
  });
});

describe("a connection with a request in flight", () => {
  it("a connection with changed authorities ends after its response and serves no request behind it", async () => {
    const { port, change, waiting, seen } = await harness([closed()]);
    const socket = await kept(port, "closed.example");
    const rest = wholeOf(socket);
    socket.write("GET /slow HTTP/1.1\r\nHost: closed.example\r\n\r\n");
    await until(() => waiting.length === 1);
    await change([closed({ client: { ca: other.cert } })]);
    socket.write("GET /behind HTTP/1.1\r\nHost: closed.example\r\n\r\n");
    waiting[0]?.end("done");
    expect((await rest).split("\r\n")).toEqual(
      expect.arrayContaining(["HTTP/1.1 200 OK", "Connection: close", "done"]),
    );
    expect(seen).toEqual(["/first", "/slow"]);
  });

  it("a request whose head had begun is rejected with 421 after its authorities changed", async () => {
    const { port, change, seen } = await harness([closed()]);
    const socket = await kept(port, "closed.example");
    const answer = wholeOf(socket);
    socket.write("GET /late HTTP/1.1\r\n");
    // A second connection is served after these bytes.
    await kept(port, "closed.example");
    await change([closed({ client: { ca: other.cert } })]);
    socket.write("Host: closed.example\r\n\r\n");
    expect(await answer).toMatch(/^HTTP\/1\.1 421 /);
    expect(seen).not.toContain("/late");
  });

  it.each([
    ["a tunnel", "/ws", "Connection: Upgrade\r\nUpgrade: websocket\r\n", 101],
    ["a stream without end", "/stream", "", 200],
  ])(
    "a connection with changed authorities is cut after gw.drain.timeout when it is %s",
    async (_what, path, fields, status) => {
      const { port, change } = await harness([closed()], {}, { drain: { timeout: 1 } });
      const socket = await handshake(port, { servername: "closed.example", ...own });
      socket.write(`GET ${path} HTTP/1.1\r\nHost: closed.example\r\n${fields}${KEY}\r\n`);
      const [first] = (await once(socket, "data")) as [Buffer];
      expect(first.toString("latin1")).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      const rest = wholeOf(socket);
      await change([closed({ client: { ca: other.cert } })]);
      expect(await rest).toBe("");
    },
  );
});

it("a handshake that began under other authorities does not lead to a connection", async () => {
  const { port, change, seen } = await harness([closed()]);
  const held = await heldClient(port);
  const socket = connect({ ...own, socket: held, servername: "closed.example", rejectUnauthorized: false });
  socket.on("error", () => {});
  await held.heard;
  await change([closed({ client: { ca: other.cert } })]);
  held.release();
  socket.write("GET /late HTTP/1.1\r\nHost: closed.example\r\n\r\n");
  expect(await wholeOf(socket)).toBe("");
  expect(seen).toEqual([]);
});

/** Client side of a connection that sends its hello and delays the rest. */
async function heldClient(port: number): Promise<Duplex & { heard: Promise<unknown>; release(): void }> {
  const carrier = await plainTo(port);
  const later: Buffer[] = [];
  let state: "hello" | "held" | "released" = "hello";
  const duplex = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, done) {
      if (state === "held") later.push(chunk);
      else carrier.write(chunk);
      if (state === "hello") state = "held";
      done();
    },
  });
  carrier.on("data", (chunk: Buffer) => duplex.push(chunk));
  for (const end of ["end", "close"]) carrier.once(end, () => duplex.push(null));
  const heard = once(carrier, "data");
  const release = () => {
    state = "released";
    for (const chunk of later) carrier.write(chunk);
  };
  return Object.assign(duplex, { heard, release });
}

it("a connection without a client certificate reaches no host whose row now requires one", async () => {
  const { port, change } = await harness([open({ id: "x" })]);
  const socket = await kept(port, "open.example", {});
  await change([open({ id: "y" }), closed({ id: "x" })]);
  expect(await fetchOver(socket, "/", "closed.example")).toMatch(/^HTTP\/1\.1 421 /);
});

describe.each(["TLSv1.2", "TLSv1.3"] as const)("a session of %s", (maxVersion) => {
  const session = async (port: number, more: ConnectionOptions = {}): Promise<Buffer> => {
    const socket = await handshake(port, { servername: "open.example", maxVersion, ...more });
    const told = maxVersion === "TLSv1.2" ? [socket.getSession()] : once(socket, "session");
    await fetchOver(socket, "/", "open.example");
    return ((await told) as [Buffer])[0];
  };
  const resumes = async (port: number, known: Buffer, more: ConnectionOptions = {}): Promise<boolean> => {
    const client = { servername: "open.example", maxVersion, session: known, ...more };
    return (await handshake(port, client)).isSessionReused();
  };

  it.each([
    ["certificate", () => [open(renewed)], {}],
    ["authorities", () => [open({ client: { ca: authority.cert } })], {}],
    ["cipher suites", () => [open()], { ssl_ciphers: "ECDHE-ECDSA-AES256-GCM-SHA384" }],
  ])("a session is not resumed with other %s", async (_what, next, ssl) => {
    const { port, change } = await harness([open()]);
    const ciphers = "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:TLS_AES_128_GCM_SHA256";
    const known = await session(port, { ciphers });
    expect(await resumes(port, known, { ciphers })).toBe(true);
    await change(next(), ssl);
    expect(await resumes(port, known, { ciphers })).toBe(false);
  });

  it("a session is not resumed with the certificate of a wildcard after that of its name is deleted", async () => {
    const wide = open({ id: "wide", sni: "*.example" });
    const { port, change } = await harness([open(), wide]);
    const known = await session(port);
    await change([wide]);
    expect(await resumes(port, known)).toBe(false);
  });
});
