import type { Socket } from "node:net";
import { connect } from "node:tls";
import { DEFAULT_POLICY } from "../../runtime/abi/tls-policy.js";
import { Presented } from "../../runtime/http/tls/presented.js";
import { type Issued, issue } from "./certificates.js";

/** The project "secure" runs tests of the wire over TLS: what is said on a connection does not depend on what carries it. */
export const OVER_TLS = process.env["GWC_WIRE"] === "tls";

let issued: Issued | undefined;
let presented: Presented | undefined;

/** The certificate that a gateway in this process presents to everybody. */
export function presentedToAll(): Presented {
  issued ??= issue({ names: ["a.example"] });
  const row = { id: "a", snis: ["a.example"], chains: [{ cert: issued.cert, key: "own" }] };
  return (presented ??= new Presented(row, [issued], DEFAULT_POLICY));
}

/** A connection whose handshake is done; a reset is one of the connection below. */
export async function connectSecurely(below: Socket): Promise<Socket> {
  const socket = connect({ socket: below, rejectUnauthorized: false });
  await new Promise<void>((resolve, reject) => {
    socket.once("secureConnect", resolve);
    socket.once("error", reject);
  });
  return Object.assign(socket, { resetAndDestroy: () => below.resetAndDestroy() });
}
