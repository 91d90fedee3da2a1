import { isReservedHeader } from "../../runtime/abi/reserved-header-names.js";
import { diagnostic } from "../diagnostics/report.js";
import type { Report, Span } from "../model/diagnostic.js";
import type { FoundVariable } from "./variable.js";

/** Headers of one connection and of the framing, which the gateway handles itself: no header list has them. */
const OF_THE_WIRE = ["content-length", "keep-alive", "proxy-connection", "te", "transfer-encoding"];
/**
 * Headers that never have a value, by the group of the variable. A request header `Proxy` would pass for a
 * CGI setting (CVE-2016-5385).
 */
const ABSENT: Readonly<Record<string, ReadonlySet<string>>> = {
  http_: new Set([...OF_THE_WIRE, "connection", "upgrade", "expect", "proxy"]),
  sent_http_: new Set(OF_THE_WIRE),
  upstream_http_: new Set([...OF_THE_WIRE, "connection", "upgrade", "server"]),
};
/** Reserved headers are dropped when the head is read; those that steps set go to the upstream only. */
const isAbsent = (group: string, lower: string): boolean =>
  ABSENT[group]?.has(lower) === true || (group === "http_" && isReservedHeader(lower));
const INSTEAD: Readonly<Record<string, string>> = {
  "http_content-length": "use $content_length",
  http_upgrade:
    "set enable_websocket to forward it, and use a separate path or host for WebSocket connections",
  http_connection:
    "set enable_websocket to forward it, and use a separate path or host for WebSocket connections",
  "http_x-consumer-username":
    "$consumer_name has the consumer, once key-auth has run; a route is chosen before",
  "sent_http_content-length": "in logs, use $body_bytes_sent",
  "upstream_http_content-length": "in logs, use $upstream_response_length",
};

export interface AbsentField {
  field: string;
  help: string | undefined;
}

/** @param name header, in any case, that is read from requests */
export function reportAbsentField(name: string, span: () => Span, help: string, report: Report): void {
  const field = name.toLowerCase();
  if (isAbsent("http_", field)) report(diagnostic("GW4418", span(), { name, field }, { help }));
}

export function absentField({ variable, parameter }: FoundVariable): AbsentField | undefined {
  if (parameter === undefined || !isAbsent(variable.name, parameter)) return undefined;
  return { field: parameter, help: INSTEAD[variable.name + parameter] };
}
