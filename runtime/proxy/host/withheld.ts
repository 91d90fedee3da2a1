import type { PipelineModule, WithheldFields } from "../../abi/route-module.js";
import { foldedName } from "../../abi/text/header-edits.js";
import type { ResponseHead } from "../../http/response-head.js";
import type { GatewayExchange } from "../exchange/exchange.js";
import { statusLine } from "./local-reply.js";

/** Forwards an interim response, without headers that the pipelines remove from responses or overwrite. */
export function passInterim(x: GatewayExchange, { status, reason, headers }: ResponseHead): void {
  if (status === 100) return;
  const names = namesOf(x, "response");
  if (names.size > 0) headers.forget((lower) => names.has(lower));
  x.inbound.interim(statusLine(status, reason) + headers.toWire());
}

/** Allowed lines, each ended by CRLF; undefined if none is left. */
export function allowedTrailers(
  x: GatewayExchange,
  message: keyof WithheldFields,
  trailers: string | undefined,
): string | undefined {
  if (trailers === undefined) return undefined;
  const names = namesOf(x, message);
  if (names.size === 0) return trailers;
  const passed = trailers.split(/(?<=\r\n)/).filter((line) => {
    const name = line.slice(0, line.indexOf(":"));
    return !names.has(message === "request" ? foldedName(name) : name.toLowerCase());
  });
  return passed.length === 0 ? undefined : passed.join("");
}

/** Names of withheld headers; folded for requests, since upstreams treat aliases as the same header. */
function namesOf({ generation, route }: GatewayExchange, message: keyof WithheldFields): ReadonlySet<string> {
  const names = new Set<string>();
  const add = (module: PipelineModule | null | undefined) => {
    for (const name of module?.withheld?.[message] ?? [])
      names.add(message === "request" ? foldedName(name) : name);
  };
  for (const rule of generation.globalRules) add(rule.module);
  add(route?.module);
  return names;
}
