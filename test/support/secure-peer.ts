import type { Socket } from "node:net";
import { connect } from "node:tls";
import { DEFAULT_POLICY } from "../../runtime/abi/tls-policy.js";
import { Presented } from "../../runtime/http/tls/presented.js";
import { type Issued, issue } from "./certificates.js";

/**
 * The project "secure" runs the wire tests over TLS: the exchange on a connection does not depend on its
 * transport.
 */
export const OVER_TLS = process.env["GWC_WIRE"] === "tls";

let issued: Issued | undefined;
let presented: Presented | undefined;

/** Certificate that a gateway in this process presents for every server name. */
export function presentedToAll(): Presented {
  issued ??= issue({ names: ["a.example"] });
  const row = { id: "a", snis: ["a.example"], chains: [{ cert: issued.cert, key: "own" }] };
  return (presented ??= new Presented(row, [issued], DEFAULT_POLICY));
}

/** Completes a TLS handshake on a connection; a reset resets the TCP connection below. */
export async function connectSecurely(below: Socket): Promise<Socket> {
  const socket = connect({ socket: below, rejectUnauthorized: false });
  await new Promise<void>((resolve, reject) => {
    socket.once("secureConnect", resolve);
    socket.once("error", reject);
  });
  return Object.assign(socket, { resetAndDestroy: () => below.resetAndDestroy() });
}
