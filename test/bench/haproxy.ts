import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../support/ports.js";
import { type Peer, scratchDirectory, stopProcess, untilServing } from "./peer.js";

const FORWARDING = `
  http-request set-header X-Real-IP %[src]
  option forwardfor
  http-request set-header X-Forwarded-Proto http
  http-request set-header X-Forwarded-Host %[req.hdr(host),field(1,:)]
  http-request set-header X-Forwarded-Port %[dst_port]`;

const HEADERS = `
  http-request set-header X-Forwarded-Via gw,%[req.hdr(X-Forwarded-Via)] if { req.hdr(X-Forwarded-Via) -m found }
  http-request set-header X-Forwarded-Via gw if !{ req.hdr(X-Forwarded-Via) -m found }
  http-request del-header X-Debug-Token
  http-request set-header X-Api-Version 2
  http-response del-header X-Internal-Service
  http-response set-header Cache-Control no-store`;

const configuration = (pass: number, headers: number, upstream: number) => `
global
  maxconn 4096
  nbthread 1
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  http-reuse always
frontend pass
  bind 127.0.0.1:${pass}
  ${FORWARDING}
  default_backend orders
frontend headers
  bind 127.0.0.1:${headers}
  ${FORWARDING}
  ${HEADERS}
  default_backend orders
backend orders
  server orders 127.0.0.1:${upstream} pool-max-conn 320
`;

export const haproxy: Peer = {
  name: "HAProxy",
  works: ["pass", "headers"],
  async start(upstreamPort) {
    const { path, remove } = scratchDirectory();
    const [pass, headers] = [await freePort(), await freePort()];
    const file = join(path, "haproxy.cfg");
    writeFileSync(file, configuration(pass, headers, upstreamPort));
    const child = spawn("/usr/sbin/haproxy", ["-q", "-db", "-f", file], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    await untilServing(pass, "/orders/small.json");
    return {
      pid: child.pid ?? 0,
      port: (work) => (work === "headers" ? headers : pass),
      stop: () => stopProcess(child).finally(remove),
    };
  },
};
