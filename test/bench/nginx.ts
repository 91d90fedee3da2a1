import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Issued } from "../support/certificates.js";
import { freePort } from "../support/ports.js";
import { largeBody, smallBody } from "./lines.js";
import {
  type Peer,
  type RunningPeer,
  scratchDirectory,
  stopProcess,
  untilServing,
  type Work,
} from "./peer.js";

const MODULES = "/usr/lib/nginx/modules";

/** Same forwarding fields for every peer. */
const FORWARDING = `
  proxy_http_version 1.1;
  proxy_set_header Connection "";
  proxy_set_header Host $http_host;
  proxy_set_header X-Real-IP $remote_addr;
  proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
  proxy_set_header X-Forwarded-Proto $scheme;
  proxy_set_header X-Forwarded-Host $host;
  proxy_set_header X-Forwarded-Port $server_port;`;

// The five actions of the line: add, remove, set on the request; remove, set on the response.
const LUA_HEADERS = `
  rewrite_by_lua_block {
    local via = ngx.var.http_x_forwarded_via
    ngx.req.set_header("X-Forwarded-Via", via and ("gw," .. via) or "gw")
    ngx.req.clear_header("X-Debug-Token")
    ngx.req.set_header("X-Api-Version", "2")
  }
  header_filter_by_lua_block {
    ngx.header["X-Internal-Service"] = nil
    ngx.header["Cache-Control"] = "no-store"
  }`;

const luaFilter = (headers: string) => `
  ${headers}
  header_filter_by_lua_block {
    if ngx.status == 200 then
      ngx.header["X-Internal-Service"] = nil
      ngx.header["Cache-Control"] = "no-store"
      ngx.header.content_length = nil
      ngx.ctx.filter = true
    end
  }
  body_filter_by_lua_block {
    local ctx = ngx.ctx
    if not ctx.filter then return end
    local chunk, last = ngx.arg[1], ngx.arg[2]
    local parts = ctx.parts
    if not parts then parts = {} ctx.parts = parts end
    if chunk ~= "" then parts[#parts + 1] = chunk end
    if last then
      ngx.arg[1] = ngx.re.gsub(table.concat(parts), [[orders-[0-9]+\\.internal]], "orders.example.com", "jo")
    else
      ngx.arg[1] = nil
    end
  }`;

const LUA_REQUEST = LUA_HEADERS.slice(0, LUA_HEADERS.indexOf("header_filter_by_lua_block"));

async function startNginx(
  configuration: string,
  directory: string,
  ports: Map<Work, number>,
): Promise<RunningPeer> {
  const file = join(directory, "nginx.conf");
  writeFileSync(file, configuration);
  mkdirSync(join(directory, "temp"), { recursive: true });
  const child = spawn("/usr/sbin/nginx", ["-p", directory, "-c", file, "-e", "stderr", "-g", "daemon off;"], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [first] = ports.values();
  await untilServing(first ?? 0, "/orders/small.json");
  return {
    pid: child.pid ?? 0,
    port: (work) => ports.get(work) ?? first ?? 0,
    stop: () => stopProcess(child),
  };
}

const http = (directory: string, body: string, modules = "") => `
${modules}
user root;
worker_processes 1;
pid ${directory}/nginx.pid;
events { worker_connections 4096; }
http {
  access_log off;
  client_body_temp_path ${directory}/temp;
  proxy_temp_path ${directory}/temp;
  fastcgi_temp_path ${directory}/temp;
  uwsgi_temp_path ${directory}/temp;
  scgi_temp_path ${directory}/temp;
  keepalive_requests 1000000000;
  default_type application/json;
  ${body}
}`;

/** The upstream of every measurement: static files of 925 bytes and 64 kB, with a field for the plugins to remove. */
export async function startUpstream(more: Readonly<Record<string, Buffer>> = {}): Promise<RunningPeer> {
  const { path, remove } = scratchDirectory();
  mkdirSync(join(path, "orders"));
  writeFileSync(join(path, "orders/small.json"), smallBody());
  writeFileSync(join(path, "orders/large.json"), largeBody());
  for (const [name, body] of Object.entries(more)) writeFileSync(join(path, "orders", name), body);
  const port = await freePort();
  const server = `server {
    listen 127.0.0.1:${port} backlog=4096;
    root ${path};
    sendfile on;
    open_file_cache max=10;
    add_header X-Internal-Service orders always;
    # A static file refuses POST; as an error page it is served for any method, with status 200.
    error_page 405 =200 $uri;
  }`;
  const running = await startNginx(http(path, server), path, new Map([["pass", port]]));
  return { ...running, stop: () => running.stop().finally(remove) };
}

function proxyServers(
  works: Map<Work, string>,
  ports: Map<Work, number>,
  upstreamPort: number,
  secured: string | undefined,
): string {
  const servers = [...works].map(
    ([work, extra]) => `server {
      listen 127.0.0.1:${ports.get(work)} ${secured === undefined ? "" : "ssl"} backlog=4096;
      ${secured ?? ""}
      location / { ${extra} ${FORWARDING} proxy_pass http://orders; }
    }`,
  );
  return `upstream orders { server 127.0.0.1:${upstreamPort}; keepalive 320; keepalive_requests 1000000000; }
    proxy_buffers 16 16k; proxy_buffer_size 16k;
    ${servers.join("\n")}`;
}

function nginxPeer(name: string, works: Map<Work, string>, modules: string, issued?: Issued): Peer {
  return {
    name,
    works: [...works.keys()],
    async start(upstreamPort) {
      const { path, remove } = scratchDirectory();
      const ports = new Map<Work, number>();
      for (const work of works.keys()) ports.set(work, await freePort());
      const secured = issued && withoutSessions(path, issued);
      const text = http(path, proxyServers(works, ports, upstreamPort, secured), modules);
      const running = await startNginx(text, path, ports);
      return { ...running, stop: () => running.stop().finally(remove) };
    },
  };
}

function withoutSessions(directory: string, { cert, key }: Issued): string {
  writeFileSync(join(directory, "certificate"), cert);
  writeFileSync(join(directory, "key"), key);
  return `ssl_certificate ${directory}/certificate; ssl_certificate_key ${directory}/key;
      ssl_protocols TLSv1.2 TLSv1.3; ssl_session_cache off; ssl_session_tickets off;`;
}

/** nginx with TLS. */
export const secureServer = (issued: Issued): Peer =>
  nginxPeer("nginx", new Map<Work, string>([["pass", ""]]), "", issued);

export const nginx: Peer = nginxPeer("nginx", new Map<Work, string>([["pass", ""]]), "");

export const nginxLua: Peer = nginxPeer(
  "nginx + Lua",
  new Map<Work, string>([
    ["headers", LUA_HEADERS],
    ["rewrite", luaFilter(LUA_REQUEST)],
    ["filter-large", luaFilter("")],
    ["filter-stream", luaFilter("")],
  ]),
  `load_module ${MODULES}/ndk_http_module.so; load_module ${MODULES}/ngx_http_lua_module.so;`,
);

/** It replaces fixed texts only, so a part of what the others match; as many replacements, and the same growth. */
export const nginxSubFilter: Peer = nginxPeer(
  "nginx sub_filter",
  new Map<Work, string>([
    [
      "filter-stream",
      `proxy_max_temp_file_size 0; sub_filter_types *; sub_filter_once off; sub_filter ".internal" ".example.com";
      proxy_hide_header X-Internal-Service; add_header Cache-Control no-store;`,
    ],
  ]),
  "",
);
