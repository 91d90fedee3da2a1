import { createHash } from "node:crypto";
import { latin1 } from "../../abi/text/bytes.js";
import { hasToken } from "../../http/fields.js";
import type { HeaderList } from "../../http/header-list.js";
import type { ResponseHead } from "../../http/response-head.js";
import type { GatewayExchange } from "../exchange/exchange.js";
import type { UpstreamConnection } from "../upstream/connection.js";
import { statusLine } from "./local-reply.js";

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

/**
 * Reports the opening handshake (RFC 6455 section 4.2.1) on a route that allows it. Others travel without
 * their upgrade: after a 101 to anything else, requests would pass every policy unseen.
 */
export function opensWebSocket({ route, inbound, outgoing, bufferedRequest }: GatewayExchange): boolean {
  const { head } = inbound;
  return (
    route?.row.enableWebsocket === true &&
    hasToken(head.upgrade?.toLowerCase(), "websocket") &&
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
function restoreHandshake(headers: HeaderList): void {
  for (const name of HANDSHAKE) {
    const received = headers.getReceived(name);
    if (headers.get(name) !== received) headers.set(name, received ?? "");
  }
}

/** Neither end outlives the other. A tunnel without a byte in either direction for `idleMs` is cut. */
export function joinTunnel(
  x: GatewayExchange,
  head: ResponseHead,
  upstream: UpstreamConnection,
  idleMs: number,
  early: Buffer,
  finished: () => void,
): void {
  const { inbound } = x;
  const client = inbound.connection;
  let over = false;
  const end = () => {
    if (over) return;
    over = true;
    client.destroy();
    upstream.destroy();
    finished();
  };
  const send = (bytes: string) => {
    inbound.bytesSent += bytes.length;
    x.bodyBytesSent += bytes.length;
    client.write(bytes);
  };
  inbound.onAbort = end;
  upstream.tunnel = {
    received(buffer, length) {
      send(latin1(buffer, 0, length));
      upstream.limit(idleMs);
      if (client.full) upstream.pause();
    },
    drained: () => client.resumeReading(),
    // The last bytes may still be on their way to the client.
    ended: () => client.output.onceIdle(end),
  };
  // The tunnel is open already: plugins can change neither status nor body.
  x.response.status = 101;
  restoreHandshake(head.headers);
  const fields = `${head.headers.toWire()}Connection: Upgrade\r\nUpgrade: ${head.upgrade}\r\n`;
  inbound.switchTo(statusLine(101, head.reason) + fields, {
    received(buffer, length) {
      upstream.sendText(latin1(buffer, 0, length));
      upstream.limit(idleMs);
      if (upstream.full) client.pauseReading();
    },
    drained: () => {
      upstream.resume();
      upstream.limit(idleMs);
    },
    ended: end,
  });
  upstream.limit(idleMs);
  if (early.length > 0) send(latin1(early, 0, early.length));
}
