import { latin1 } from "../../abi/text/bytes.js";
import type { ResponseHead } from "../../http/response-head.js";
import type { GatewayExchange } from "../exchange/exchange.js";
import type { UpstreamConnection } from "../upstream/connection.js";
import { statusLine } from "./local-reply.js";
import { restoreHandshake } from "./websocket.js";

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
