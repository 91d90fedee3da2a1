import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { until } from "../support/patience.js";
import { accepts, freePort } from "../support/ports.js";

/** Ports of a proxy in front of the upstream and of one in front of the gateway. */
export interface PeerPorts {
  toUpstream: number;
  toGateway: number;
}

async function untilAccepting(port: number, child: ChildProcess): Promise<void> {
  await until(() => {
    if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}`);
    return accepts(port);
  });
}

async function run(command: string, args: string[], port: number, directory: string): Promise<void> {
  const child = spawn(command, args, { stdio: ["ignore", "ignore", "inherit"] });
  onTestFinished(async () => {
    if (child.exitCode === null) {
      child.kill("SIGKILL");
      await once(child, "exit");
    }
    rmSync(directory, { recursive: true, force: true });
  });
  await untilAccepting(port, child);
}

/** Starts nginx until the end of the test, configured to pass on everything unchanged. */
export async function startNginx(upstream: number, gateway: number): Promise<PeerPorts> {
  const directory = mkdtempSync(join(tmpdir(), "gwc-nginx-"));
  const ports = { toUpstream: await freePort(), toGateway: await freePort() };
  const server = (port: number, target: number) => `server {
    listen 127.0.0.1:${port};
    location / { proxy_pass http://127.0.0.1:${target}; }
  }`;
  const temp = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path "${directory}";`)
    .join(" ");
  const configuration = `
user root; worker_processes 1; daemon off; master_process off; pid "${directory}/pid";
events { worker_connections 256; }
http {
  access_log off; ${temp}
  underscores_in_headers on; ignore_invalid_headers off; merge_slashes off;
  large_client_header_buffers 4 32k; client_max_body_size 0;
  proxy_http_version 1.1; proxy_request_buffering off; proxy_buffering off;
  proxy_set_header Host $http_host; proxy_set_header Connection "";
  ${server(ports.toUpstream, upstream)}
  ${server(ports.toGateway, gateway)}
}`;
  writeFileSync(join(directory, "nginx.conf"), configuration);
  const args = ["-p", directory, "-c", join(directory, "nginx.conf"), "-e", "stderr"];
  await run("/usr/sbin/nginx", args, ports.toGateway, directory);
  return ports;
}

/** Starts HAProxy until the end of the test, configured to pass on everything unchanged. */
export async function startHaproxy(upstream: number, gateway: number): Promise<PeerPorts> {
  const directory = mkdtempSync(join(tmpdir(), "gwc-haproxy-"));
  const ports = { toUpstream: await freePort(), toGateway: await freePort() };
  const listen = (name: string, port: number, target: number) => `
listen ${name}
  bind 127.0.0.1:${port}
  server s 127.0.0.1:${target}`;
  const configuration = `
global
  nbthread 1
defaults
  mode http
  timeout connect 5s
  timeout client 30s
  timeout server 30s
${listen("upstream", ports.toUpstream, upstream)}
${listen("gateway", ports.toGateway, gateway)}
`;
  writeFileSync(join(directory, "haproxy.cfg"), configuration);
  await run(
    "/usr/sbin/haproxy",
    ["-q", "-db", "-f", join(directory, "haproxy.cfg")],
    ports.toGateway,
    directory,
  );
  return ports;
}
