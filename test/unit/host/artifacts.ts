import { createHash } from "node:crypto";
import type {
  Artifact,
  Delta,
  ModuleCode,
  RouterRow,
  UpstreamTable,
} from "../../../runtime/abi/generation.js";
import { ABI } from "../../../runtime/abi/version.js";
import type { MatchSubject } from "../../../runtime/proxy/host/contract.js";

export function row(id: string, rest: Partial<RouterRow> = {}): RouterRow {
  return {
    id,
    hosts: [],
    uris: [`/${id}`],
    methods: [],
    remoteAddrs: [],
    priority: 0,
    order: 0,
    moduleId: null,
    hasMatch: false,
    upstream: null,
    enableWebsocket: false,
    ...rest,
  };
}

/** Nodes as "host:weight". */
export function table(key: string, nodes: string[], rest: Partial<UpstreamTable> = {}): UpstreamTable {
  return {
    key,
    type: "roundrobin",
    scheme: "http",
    nodes: nodes.map((node) => {
      const [, host = "", weight = ""] = /^(.*):(\d+)$/.exec(node) ?? [];
      return { host, port: 80, weight: Number(weight), priority: 0 };
    }),
    retries: 0,
    retryTimeout: 0,
    timeout: { connect: 1, send: 1, read: 1 },
    passHost: "pass",
    keepalive: { size: 1, idleTimeout: 1, requests: 1 },
    tlsVerify: true,
    ...rest,
  };
}

/** Module whose exported object has an id and these members. */
export function moduleText(moduleId: string, members: string, before = ""): ModuleCode {
  const id = moduleId.slice(moduleId.indexOf(":") + 1);
  const code = `const { defineRoute } = require("gwc/runtime");\n${before}\nmodule.exports = defineRoute({ id: ${JSON.stringify(id)}, ${members} });\n`;
  return { moduleId, file: `routes/${id}`, hash: createHash("sha256").update(code).digest("hex"), code };
}

export function artifact(parts: Partial<Artifact> = {}): Artifact {
  return {
    abi: ABI,
    planHash: "p0",
    routes: [],
    upstreams: [],
    globalRules: [],
    pluginMetadata: [],
    modules: [],
    ...parts,
  };
}

export function delta(
  parts: {
    [Part in "routes" | "upstreams" | "modules"]?: Partial<Delta[Part]>;
  } & Pick<Delta, "globalRules" | "pluginMetadata"> & { abi?: number; planHash?: string } = {},
): Delta {
  const { routes, upstreams, modules, globalRules, pluginMetadata, abi = ABI, planHash = "p1" } = parts;
  const none = { put: [], remove: [] };
  return {
    abi,
    planHash,
    routes: { ...none, ...routes },
    upstreams: { ...none, ...upstreams },
    modules: { ...none, ...modules },
    ...(globalRules && { globalRules }),
    ...(pluginMetadata && { pluginMetadata }),
  };
}

/** The part of a request that matching and the modules of these tests read. */
export function request(uri: string, rest: Record<string, unknown> = {}): MatchSubject {
  const x = {
    uri,
    path: uri,
    host: "example.com",
    method: "GET",
    remoteAddr: "192.0.2.1",
    uriParams: undefined,
    ...rest,
  };
  return x as unknown as MatchSubject;
}
