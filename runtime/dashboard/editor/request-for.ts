import type { Value } from "../api/resources";
import type { WhichRouteSearch } from "../app/router";

const first = (value: Value, one: string, list: string): string | undefined =>
  [value[one], value[list]].flat().find((text): text is string => typeof text === "string");

/** Builds a request that matches host, path, method and client of a route, with examples in place of wildcards. */
export function requestFor(value: Value): WhichRouteSearch {
  const host = first(value, "host", "hosts")?.replace(/^\*\.?/, "www.");
  const path = (first(value, "uri", "uris") ?? "/").replace(/\*\w*$/, "").replace(/:\w+/g, "1");
  const methods = [value["methods"]].flat().filter((method) => typeof method === "string");
  const [method = "GET"] = methods;
  const client = first(value, "remote_addr", "remote_addrs")?.replace(/\/\d+$/, "");
  return {
    ...{ url: host === undefined ? path : `http://${host}${path}` },
    ...(methods.includes("GET") || method === "GET" ? {} : { method }),
    ...(client !== undefined && { client }),
  };
}
