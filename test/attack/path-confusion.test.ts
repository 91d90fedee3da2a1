import "../../plugins/index.js";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { compile } from "../../compiler/index.js";
import { fieldValues } from "../../runtime/control/in-process/wire-message.js";
import { DataServer } from "../../runtime/proxy/host/data-server.js";
import { loaded } from "../support/loaded.js";
import { RawClient } from "../support/raw-client.js";
import { apache, nginx, node, type Peer } from "./path-confusion/peers.js";

// The route of a request and the resource that responds belong to the same area, for every spelling of the
// target and every reader behind the gateway.

const TARGETS = process.env["GWC_ATTACK"] === "long" ? 5_000 : 300;
/** Number of concurrent connections. */
const CLIENTS = 4;

const PEERS: Readonly<Record<string, () => Promise<Peer>>> = {
  nginx,
  "Apache httpd, files": () => apache("files"),
  "Apache httpd, CGI": () => apache("cgi"),
  "node:http, URL": () => node("url"),
  "node:http, decoded path": () => node("decoding"),
  "a servlet container": () => node("servlet"),
  "a CGI-like program": () => node("cgi"),
  "a program that decodes twice": () => node("twice"),
};

const segment = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("pub", "private", "x", "secret", "a b".replace(" ", "%20")) },
  { weight: 5, arbitrary: fc.constantFrom("..", ".", "%2e%2e", "%2E.", ".%2e", "%2e", "...") },
  fc.constantFrom("..;", "..;x=1", ".;x", ";x", "x;y=..", "..%3b", "%2e%2e;a"),
  fc.constantFrom(
    "..%2f..",
    "..%2F",
    "%2f..",
    "x%2f..%2f..",
    "..%2fprivate",
    "..%5c..",
    "..\\..",
    "\\..\\x",
    "..%5Cprivate",
  ),
  fc.constantFrom("%252e%252e", "%252e.", "..%252f..", "%25252e%25252e", "..%255c", "%2e%252e"),
  fc.constantFrom("", "%00", "%zz", "%2", "%70%75%62", "%70rivate", "pub%2fx", "private%2fx", "%c0%ae%c0%ae"),
);
const target = fc
  .tuple(
    fc.constantFrom("/pub/", "/private/", "/private/secret/", "/"),
    fc.array(segment, { minLength: 1, maxLength: 5 }),
  )
  .map(([start, segments]) => start + segments.join("/"));
const targets = fc.sample(target, { seed: 20_261_122, numRuns: TARGETS });

/** Spellings that some upstream reads as one slash, between names of two areas. */
const separator = fc.oneof(
  { weight: 3, arbitrary: fc.constant("/") },
  fc.constantFrom("//", "%2f", "%2F", "/%2f", "%2f/", "\\", "%5c", "%5C", "\\/", "///", "/./", "/x/../"),
);
const separated = fc
  .tuple(
    fc.array(fc.tuple(separator, fc.constantFrom("private", "%70rivate", "x", "pub", "")), {
      minLength: 1,
      maxLength: 4,
    }),
    separator,
  )
  .map(([parts, last]) => `/${parts.flat().join("")}${last}x`);
const separatedTargets = fc.sample(separated, { seed: 20_261_127, numRuns: TARGETS });

const marked = (name: string) => ({ "response-rewrite": { headers: { set: { "X-Route": name } } } });

/**
 * Routes for one upstream: its two areas, and routes that build the path of a public resource from client
 * input.
 */
function routesFor(id: string, host: string) {
  const route = (area: string, uri: string, rewrite?: object) => ({
    id: `${id}-${area}-${uri.length}-${uri.charCodeAt(1)}`,
    host,
    uri,
    upstream_id: id,
    plugins: { ...marked(area), ...(rewrite && { "proxy-rewrite": rewrite }) },
  });
  const open = (area: string, uri: string) => ({
    ...{ id: `open-${id}-${area}`, host: `open-${host}`, uri },
    ...{ upstream_id: id, plugins: marked(area) },
  });
  return [
    open("private", "/private/*"),
    open("open", "/*"),
    route("private", "/private/*"),
    route("pub", "/pub/*"),
    route("pub", "/by-argument", { uri: "/pub/$arg_p" }),
    route("pub", "/by-header", { uri: "/pub/${http_x_path}/end" }),
    route("pub", "/by-capture/*", { regex_uri: ["^/by-capture/(.*?)-?([^-]*)$", "/pub/$1$2"] }),
    route("pub", "/by-parameter/:p/*rest", { uri: "/pub/$uri_param_p/${uri_param_rest}" }),
    route("pub", "/unsafe", { use_real_request_uri_unsafe: true, uri: "/pub/$arg_p" }),
  ];
}

interface Seen {
  status: number;
  route: string | undefined;
  resource: string;
}

let server: DataServer;
let port = 0;
const peers: Peer[] = [];
const names = Object.keys(PEERS);

beforeAll(async () => {
  for (const name of names) peers.push(await (PEERS[name] as () => Promise<Peer>)());
  const configuration = {
    upstreams: peers.map((peer, i) => ({ id: `u${i}`, nodes: { [`127.0.0.1:${peer.port}`]: 1 } })),
    routes: peers.flatMap((_, i) => routesFor(`u${i}`, `u${i}.test`)),
  };
  const sources = [{ name: "paths.yaml", text: stringify(configuration), format: "yaml" as const }];
  const { artifact, diagnostics } = compile({ sources, environment: {} });
  if (artifact === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  const generation = loaded(artifact);
  server = new DataServer({ generation: () => generation });
  ({ port } = await server.accept({ port: 0 }));
});

afterAll(async () => {
  await server?.close(100);
  await Promise.all(peers.map((peer) => peer.stop()));
});

async function ask(peer: number, requestTarget: string, field = "", host = `u${peer}.test`): Promise<Seen> {
  const client = await RawClient.open(port);
  try {
    await client.send(`GET ${requestTarget} HTTP/1.1\r\nHost: ${host}\r\n${field}Connection: close\r\n\r\n`);
    const { status, headers, body } = await client.response("GET");
    return { status, route: fieldValues(headers, "x-route")[0], resource: body };
  } finally {
    client.close();
  }
}

/**
 * Sends the requests, a few at a time; returns counts of 200 responses by route, and those whose route and
 * resource differ.
 */
async function confused(peer: number, requests: readonly (readonly [target: string, field?: string])[]) {
  const wrong: (Seen & { request: string })[] = [];
  const passed: Record<string, number> = {};
  const waiting = [...requests];
  const worker = async () => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const [requestTarget, field = ""] = next;
      const seen = await ask(peer, requestTarget, field);
      // Rejected by the gateway or by the upstream: no resource responded.
      if (seen.status !== 200) continue;
      passed[seen.route ?? "none"] = (passed[seen.route ?? "none"] ?? 0) + 1;
      if (seen.resource !== seen.route) wrong.push({ ...seen, request: `${requestTarget} ${field}` });
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, worker));
  return { wrong, passed };
}

describe.each(names.map((name, i) => [name, i] as const))("before %s", (_name, peer) => {
  it("the route of a request and the resource that responds belong to the same area", async () => {
    const { wrong, passed } = await confused(
      peer,
      targets.map((one) => [one] as const),
    );
    expect(wrong).toEqual([]);
    // Enough requests must pass for the test to show anything.
    expect(passed["pub"]).toBeGreaterThan(TARGETS / 30);
    expect(passed["private"]).toBeGreaterThan(TARGETS / 30);
  });

  it("no spelling of a slash leads past a protected route to the open route next to it", async () => {
    const passed = new Set<string>();
    for (const one of separatedTargets) {
      const { status, route, resource } = await ask(peer, one, "", `open-u${peer}.test`);
      if (status !== 200) continue;
      passed.add(`${route}`);
      expect({ one, isPrivate: resource === "private" }).toEqual({ one, isPrivate: route === "private" });
    }
    expect([...passed].sort()).toEqual(["open", "private"]);
  });

  it("no client value in a rewritten path leads into another area", async () => {
    const values = targets.slice(0, TARGETS / 3).map((one) => one.slice(1));
    const escaped = (value: string) => encodeURIComponent(value);
    const { wrong, passed } = await confused(
      peer,
      values.flatMap((value) => [
        [`/by-argument?p=${value.replaceAll("#", "")}`] as const,
        [`/by-argument?p=${escaped(value)}`] as const,
        [`/by-header`, `X-Path: ${value}\r\n`] as const,
        [`/by-capture/${value}`] as const,
        [`/by-parameter/${value}`] as const,
        [`/unsafe?p=${escaped(value)}`] as const,
      ]),
    );
    expect(wrong).toEqual([]);
    expect(passed["pub"]).toBeGreaterThan(TARGETS / 30);
  });
});
