import type { AddressInfo, Socket } from "node:net";
import tls from "node:tls";
import { describe, expect, it, onTestFinished } from "vitest";
import { TEST_CERTIFICATE } from "../../support/certificate.js";
import { GET, listening, startGateway } from "./gateway.js";

/** An https upstream that reacts to each read and records the server names of its clients. */
async function startTls(
  read: (socket: Socket, piece: Buffer) => void,
): Promise<{ port: number; names: (string | false)[] }> {
  const names: (string | false)[] = [];
  const sockets = new Set<Socket>();
  const server = tls.createServer({ ...TEST_CERTIFICATE, ALPNProtocols: ["http/1.1"] }, (socket) => {
    names.push(socket.servername ?? false);
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("data", (piece: Buffer) => read(socket, piece));
  });
  server.on("tlsClientError", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, names };
}

const BODY = "x".repeat(100_000);
const SHORT = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
const LARGE = `HTTP/1.1 200 OK\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`;

describe("an https upstream", () => {
  it("an https upstream receives three requests on one TLS connection with upstream_host as server name", async () => {
    const upstream = await startTls((socket) => socket.write(LARGE));
    const gateway = await startGateway({
      nodes: [upstream.port],
      table: { scheme: "https", tlsVerify: false, upstreamHost: "upstream.test" },
    });
    const client = await gateway.client();
    for (let i = 0; i < 3; i++) {
      await client.send(GET);
      expect((await client.response("GET")).body).toBe(BODY);
    }
    expect(upstream.names).toEqual(["upstream.test"]);
  });

  it("an https upstream receives a request body that is larger than one write", async () => {
    let received = 0;
    const upstream = await startTls((socket, piece) => {
      received += piece.length;
      if (piece.toString("latin1").endsWith("end")) socket.write(SHORT);
    });
    const gateway = await startGateway({
      nodes: [upstream.port],
      table: { scheme: "https", tlsVerify: false },
    });
    const client = await gateway.client();
    const body = `${BODY.repeat(10)}end`;
    await client.send(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    expect((await client.response("POST")).status).toBe(200);
    expect(received).toBeGreaterThan(body.length);
  });

  it("a request fails with 502 if the upstream's certificate is not trusted", async () => {
    const upstream = await startTls((socket) => socket.write(LARGE));
    const gateway = await startGateway({
      nodes: [upstream.port],
      table: { scheme: "https", tlsVerify: true },
    });
    const client = await gateway.client();
    await client.send(GET);
    expect((await client.response("GET")).status).toBe(502);
    expect(gateway.outcomes).toEqual([{ failure: "tcpFailures" }]);
  });

  it("a request fails with 502 if an https node does not speak TLS", async () => {
    const plain = await listening((socket) => socket.write("HTTP/1.1 400 Bad Request\r\n\r\n"));
    const gateway = await startGateway({ nodes: [plain.port], table: { scheme: "https", tlsVerify: false } });
    const client = await gateway.client();
    await client.send(GET);
    expect((await client.response("GET")).status).toBe(502);
  });
});
