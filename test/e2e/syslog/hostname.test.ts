import { createSocket, type Socket } from "node:dgram";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { hostname } from "node:os";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ProcessGateway } from "../process/gateway.js";

let upstream: Server;
let receiver: Socket;
let gateway: ProcessGateway;
const messages: string[] = [];

beforeAll(async () => {
  upstream = createServer((_, response) => response.end("hello"));
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  receiver = createSocket("udp4", (message) => messages.push(message.toString("latin1")));
  await new Promise<void>((resolve) => receiver.bind(0, "127.0.0.1", resolve));
  gateway = await ProcessGateway.start({});
});

afterAll(async () => {
  await gateway.end();
  receiver.close();
  upstream.close();
});

/** HOSTNAME in the message of a request with this Host. */
async function hostnameFor(host: string, settings: object): Promise<string | undefined> {
  const { port } = upstream.address() as AddressInfo;
  const syslog = { host: "127.0.0.1", port: receiver.address().port, sock_type: "udp", batch_max_size: 1 };
  const { status, text } = await gateway.admin("PUT", "/routes/1", {
    uri: "/*",
    plugins: { syslog: { ...syslog, ...settings } },
    upstream: { type: "roundrobin", nodes: { [`127.0.0.1:${port}`]: 1 } },
  });
  expect([200, 201], text).toContain(status);
  const before = messages.length;
  await gateway.get("/", { Host: host });
  await expect.poll(() => messages.length).toBe(before + 1);
  return /^<46>1 \S+ (\S+) gwc \d+ - - \{/.exec(messages[before] ?? "")?.[1];
}

describe("HOSTNAME of a syslog message (RFC 5424 section 6.2.4)", () => {
  it("HOSTNAME is the gateway's own by default, whatever Host the client sends", async () => {
    for (const host of ["shop.example.com", "db-1.internal", "[::1]", "a;b"])
      expect([host, await hostnameFor(host, {})]).toEqual([host, hostname()]);
  });

  it.each([
    ["$host", "shop.example.com:8080", "shop.example.com"],
    ["$host", "[2001:db8::7]:8080", "2001:db8::7"],
    ["edge-1.example.com", "shop.example.com", "edge-1.example.com"],
    ["edge-1/$host", "shop.example.com", "edge-1/shop.example.com"],
    ["$http_x_absent", "shop.example.com", "-"],
  ])("HOSTNAME follows the setting %s", async (setting, host, expected) => {
    expect(await hostnameFor(host, { hostname: setting })).toBe(expected);
  });
});
