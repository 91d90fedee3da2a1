import { addresses } from "../../abi/text/addresses.js";
import { utf8 } from "../../abi/text/bytes.js";
import type { TraceMatch } from "../../abi/trace.js";
import type { GatewayExchange } from "../exchange/exchange.js";

/** Reports whether a request matches a trace order; its route is known. */
export type Matches = (x: GatewayExchange) => boolean;

/** Creates one test for each property of the order, the cheapest first. */
export function matcherOf({ method, host, uri, route_id, unrouted, header, client }: TraceMatch): Matches {
  const tests: Matches[] = [];
  if (method !== undefined) tests.push((x) => x.method === method);
  if (route_id !== undefined) tests.push((x) => x.routeId === route_id);
  if (unrouted !== undefined) tests.push((x) => (x.routeId === undefined) === unrouted);
  if (host !== undefined) tests.push(hostTest(utf8(host)));
  if (uri !== undefined) tests.push(uriTest(utf8(uri)));
  for (const [name, value] of Object.entries(header ?? {})) {
    const bytes = utf8(value);
    tests.push((x) => x.request.headers.get(name) === bytes);
  }
  if (client !== undefined) {
    const block = addresses(client);
    tests.push((x) => block.has(x.remoteAddr));
  }
  return (x) => tests.every((test) => test(x));
}

function hostTest(host: string): Matches {
  if (!host.startsWith("*")) return (x) => x.host === host;
  const end = host.slice(1);
  return (x) => x.host.endsWith(end) && x.host.length > end.length;
}

function uriTest(uri: string): Matches {
  if (!uri.endsWith("*")) return (x) => x.uri === uri;
  const begin = uri.slice(0, -1);
  return (x) => x.uri.startsWith(begin);
}
