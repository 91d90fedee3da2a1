import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, connect as connectPlain, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ConnectionOptions, connect, type TLSSocket } from "node:tls";
import { onTestFinished } from "vitest";
import { type Gateway, startGateway } from "../../../runtime/control/embed.js";
import { gwc } from "../../support/cli.js";

/** An upstream that responds with the headers of the request, as JSON. */
export async function mirror(): Promise<{ port: number }> {
  const server = createServer((request, response) => {
    response.setHeader("Content-Type", "application/json");
    request.resume().on("end", () => response.end(JSON.stringify(request.headers)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { port: (server.address() as AddressInfo).port };
}

export interface SecureHarness {
  gateway: Gateway;
  port: number;
  /** Replaces resources and settings, and reloads. */
  rewrite(resources: object, ssl?: object): Promise<boolean>;
  /** Replaces resources and settings without a reload. */
  rewriteFiles(resources: object, ssl?: object): void;
}

/** A gateway in this process that listens for TLS. @param gw more keys of `gw` @param paths "dist": a build of the files */
export async function secureGateway(
  resources: object,
  ssl: object = {},
  gw: object = {},
  paths = ["gateway.json"],
): Promise<SecureHarness> {
  const directory = mkdtempSync(join(tmpdir(), "gwc-tls-"));
  const write = (with_: object, settings: object) => {
    const written = { gw: { ...gw, ssl: { listen: [9443], ...settings } }, ...with_ };
    writeFileSync(join(directory, "gateway.json"), JSON.stringify(written));
    if (!paths.includes("dist")) return;
    const built = gwc(directory, ["build", "gateway.json", "--out", "dist"]);
    if (built.status !== 0) throw new Error(built.stderr);
  };
  write(resources, ssl);
  const listen = { host: "127.0.0.1", port: 0, setting: "test" };
  const gateway = await startGateway({
    directory,
    paths,
    settings: { data: [listen], tls: [listen], admin: listen, status: listen, metrics: null },
    store: false,
  });
  onTestFinished(async () => {
    await gateway.close(0);
    rmSync(directory, { recursive: true, force: true });
  });
  return {
    gateway,
    port: gateway.addresses.tls[0]?.port ?? 0,
    async rewrite(resources, ssl = {}) {
      write(resources, ssl);
      return gateway.reload();
    },
    rewriteFiles: (resources, ssl = {}) => write(resources, ssl),
  };
}

/** A connection after its handshake. @throws the error of the handshake */
export async function handshake(
  port: number,
  options: ConnectionOptions & { allowHalfOpen?: boolean } = {},
): Promise<TLSSocket> {
  const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false, ...options });
  onTestFinished(() => void socket.destroy());
  await once(socket, "secureConnect");
  socket.on("error", () => {});
  return socket;
}

/** `gw.ssl` for clients of TLS 1.2 with either kind of key, at a level of security of OpenSSL. */
export const atLevel = (level: number) => ({
  ssl_ciphers: `ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:@SECLEVEL=${level}`,
});

export const subjectOf = (socket: TLSSocket): string => String(socket.getPeerCertificate().subject.CN);

/** All bytes until the other side ends. */
export async function wholeOf(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (chunk: Buffer) => (text += chunk.toString("latin1")));
  await new Promise<void>((resolve) => {
    for (const event of ["end", "close", "error"]) socket.once(event, () => resolve());
  });
  socket.destroy();
  return text;
}

/** One request and its whole response; the connection closes. */
export async function fetchOver(socket: Socket, path = "/", host = "a.example"): Promise<string> {
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  return wholeOf(socket);
}

/** A connection without TLS. */
export async function plainTo(port: number): Promise<Socket> {
  const socket = connectPlain({ port, host: "127.0.0.1", allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  socket.on("error", () => {});
  return socket;
}
