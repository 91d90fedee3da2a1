import { createHash } from "node:crypto";
import { trimBlanks } from "../../abi/text/field.js";
import type { HeaderList } from "../../http/header-list.js";
import type { ResponseHead } from "../../http/response-head.js";
import type { GatewayExchange } from "../exchange/exchange.js";

/** 16 bytes in base64 (RFC 6455 section 4.1). */
const KEY = /^[A-Za-z0-9+/]{21}[AQgw]==$/;
/** Constant of the handshake (RFC 6455 section 1.3). */
const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/** Headers of the handshake's response (RFC 6455 section 4.2.2) that header lists contain. */
const HANDSHAKE = [
  "Sec-WebSocket-Accept",
  "Sec-WebSocket-Extensions",
  "Sec-WebSocket-Protocol",
  "Sec-WebSocket-Version",
];

const names = (list: string | undefined, token: string): boolean =>
  list?.split(",").some((part) => trimBlanks(part).toLowerCase() === token) ?? false;

/**
 * Reports the opening handshake (RFC 6455 section 4.2.1) on a route that allows it. Others travel without
 * their upgrade: after a 101 to anything else, requests would pass every policy unseen.
 */
export function opensWebSocket({ route, inbound, outgoing, bufferedRequest }: GatewayExchange): boolean {
  const { head } = inbound;
  return (
    route?.row.enableWebsocket === true &&
    names(head.upgrade, "websocket") &&
    outgoing.method === "GET" &&
    head.method === "GET" &&
    head.minor === 1 &&
    inbound.bodyDone &&
    bufferedRequest === undefined &&
    KEY.test(head.headers.get("sec-websocket-key") ?? "") &&
    head.headers.get("sec-websocket-version") === "13"
  );
}

/** Returns the reason why an upstream's 101 does not complete the handshake; undefined if it does. */
export function handshakeFault(x: GatewayExchange, head: ResponseHead): string | undefined {
  if (head.upgrade?.toLowerCase() !== "websocket") return "101 with an Upgrade other than websocket";
  const key = x.outgoing.fields.get("sec-websocket-key") ?? "";
  const accept = createHash("sha1")
    .update(key + GUID)
    .digest("base64");
  if (head.headers.get("sec-websocket-accept") === accept) return undefined;
  return "101 whose Sec-WebSocket-Accept does not match the key";
}

/** Reverts header actions on the handshake: client and upstream have agreed on it. */
export function restoreHandshake(headers: HeaderList): void {
  for (const name of HANDSHAKE) {
    const received = headers.getReceived(name);
    if (headers.get(name) !== received) headers.set(name, received ?? "");
  }
}
