import { once } from "node:events";
import type { TLSSocket } from "node:tls";
import { beforeAll, describe, expect, it } from "vitest";
import { type Issued, issue } from "../../support/certificates.js";
import { fetchOver, handshake, mirror, plainTo, secureGateway } from "./harness.js";

// Clients that must present a certificate (mTLS).

let authority: Issued;
let own: Issued;
let deep: Issued;
let stranger: Issued;
let server: Issued;
beforeAll(() => {
  authority = issue({ names: ["authority.test"], authority: true });
  const middle = issue({ names: ["middle.test"], authority: true, by: authority });
  own = issue({ names: ["client.test"], by: authority });
  const below = issue({ names: ["deep.test"], by: middle });
  deep = { cert: below.cert + middle.cert, key: below.key };
  stranger = issue({ names: ["client.test"] });
  server = issue({ names: ["*.example"] });
});

const VARIABLES = ["verify", "s_dn", "i_dn", "serial", "fingerprint"];

async function harness(depth = 1) {
  const headers = Object.fromEntries(VARIABLES.map((name) => [`x-${name}`, `$ssl_client_${name}`]));
  const plugins = { "proxy-rewrite": { headers: { set: headers } } };
  const nodes = { [`127.0.0.1:${(await mirror()).port}`]: 1 };
  const ssls = [
    { id: "closed", sni: "closed.example", ...server, client: { ca: authority.cert, depth } },
    { id: "open", sni: "open.example", ...server },
  ];
  return secureGateway({ routes: [{ id: "r", uri: "/*", plugins, upstream: { nodes } }], ssls });
}

const closed = (port: number, shown: Partial<Issued> = {}, more: object = {}) =>
  handshake(port, { servername: "closed.example", ...shown, ...more });
const answered = (socket: TLSSocket, host = "closed.example") => fetchOver(socket, "/", host);

describe.each(["TLSv1.2", "TLSv1.3"] as const)(
  "with %s a server that requires client certificates",
  (maxVersion) => {
    it("a client with a certificate of the authority is served, and its variables are set", async () => {
      const { port } = await harness();
      const answer = await answered(await closed(port, own, { maxVersion }));
      const fields = JSON.parse(answer.split("\r\n\r\n")[1] ?? "") as Record<string, string>;
      expect(fields).toMatchObject({
        "x-verify": "SUCCESS",
        "x-s_dn": "CN=client.test",
        "x-i_dn": "CN=authority.test",
        "x-serial": expect.stringMatching(/^[0-9A-F]+$/) as string,
        "x-fingerprint": expect.stringMatching(/^[0-9a-f]{40}$/) as string,
      });
    });

    it.each([
      ["none", () => ({})],
      ["one of nobody's", () => stranger],
    ])("a client with %s is rejected with 400 on each connection", async (_, shown) => {
      const { port } = await harness();
      let session: Buffer | undefined;
      for (let count = 0; count < 3; count++) {
        const socket = await closed(port, shown(), { maxVersion, ...(session && { session }) });
        socket.on("session", (told: Buffer) => (session = told));
        expect(await answered(socket)).toMatch(/^HTTP\/1\.1 400 /);
      }
    });

    it("a client certificate is checked on each connection, and no session replaces it", async () => {
      const { port } = await harness();
      const first = await closed(port, own, { maxVersion });
      let session: Buffer | undefined = first.getSession();
      first.on("session", (told: Buffer) => (session = told));
      expect(await answered(first)).toMatch(/^HTTP\/1\.1 200 /);
      const again = await closed(port, {}, { maxVersion, ...(session && { session }) });
      expect(again.isSessionReused()).toBe(false);
      expect(await answered(again)).toMatch(/^HTTP\/1\.1 400 /);
      const open = await handshake(port, { servername: "open.example", maxVersion });
      let other: Buffer | undefined = open.getSession();
      open.on("session", (told: Buffer) => (other = told));
      expect(await answered(open, "open.example")).toMatch(/^HTTP\/1\.1 200 /);
      const crossed = await closed(port, {}, { maxVersion, ...(other && { session: other }) });
      expect(await answered(crossed)).toMatch(/^HTTP\/1\.1 400 /);
    });
  },
);

describe("a server that requires client certificates", () => {
  it("a request for a server with client authentication is rejected with 421 on a connection to another", async () => {
    const { port } = await harness();
    const other = await handshake(port, { servername: "open.example" });
    expect(await answered(other, "closed.example:443")).toMatch(/^HTTP\/1\.1 421 /);
    const same = await handshake(port, { servername: "open.example" });
    expect(await answered(same, "open.example")).toMatch(/^HTTP\/1\.1 200 /);
    const kept = await handshake(port, { servername: "open.example" });
    kept.write("GET / HTTP/1.1\r\nHost: open.example\r\n\r\n");
    await once(kept, "data");
    expect(await answered(kept, "Closed.example.")).toMatch(/^HTTP\/1\.1 421 /);
    const unported = await handshake(port, { servername: "open.example" });
    expect(await answered(unported, "closed.example:")).toMatch(/^HTTP\/1\.1 421 /);
  });

  it.each([
    [0, 400],
    [1, 200],
  ])("client.depth limits the number of intermediate certificates: %s", async (depth, status) => {
    const { port } = await harness(depth);
    expect(await answered(await closed(port, deep))).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(await answered(await closed(port, own))).toMatch(/^HTTP\/1\.1 200 /);
  });

  it("ssl_client_verify is NONE for a server without client authentication, and undefined without TLS", async () => {
    const { port, gateway } = await harness();
    const open = await handshake(port, { servername: "open.example", ...own });
    expect(await answered(open, "open.example")).toContain('"x-verify":"NONE"');
    const plain = await plainTo(gateway.addresses.data[0]?.port ?? 0);
    expect(await fetchOver(plain)).not.toContain('x-verify":"');
  });

  it("a reload with an unreadable client authority is refused", async () => {
    const { rewrite } = await harness();
    const client = { ca: `-----BEGIN CERTIFICATE-----\n${"x".repeat(200)}` };
    expect(await rewrite({ ssls: [{ id: "s", sni: "closed.example", ...server, client }] })).toBe(false);
  });
});
