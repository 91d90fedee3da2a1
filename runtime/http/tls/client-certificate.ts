import { X509Certificate } from "node:crypto";
import type { DetailedPeerCertificate, TLSSocket } from "node:tls";

/** The certificate that a client has shown, by nginx's words. */
export interface ClientCertificate {
  /** "SUCCESS", "NONE" for none, "FAILED:" with the reason. */
  verify: string;
  /** Subject and issuer by RFC 2253. */
  subject?: string;
  issuer?: string;
  /** Upper-case hex. */
  serial?: string;
  /** SHA-1, lower-case hex. */
  fingerprint?: string;
}

/** What its types leave out: the code of what OpenSSL found, null where it found nothing. */
interface WithHandle {
  _handle: { verifyError(): (Error & { code?: string }) | null } | null;
}

/** @param depth certificates that may stand between the client's and that of its authority */
export function clientCertificate(socket: TLSSocket, depth: number): ClientCertificate {
  // Its type says that it is whole; without a certificate it is empty. `getPeerX509Certificate` would take the chain apart (Node 20).
  const shown: Partial<DetailedPeerCertificate> = socket.getPeerCertificate(true);
  // Node finds nothing wrong with a resumed session that has no certificate: only one that is there counts.
  if (shown.raw === undefined) return { verify: "NONE" };
  return { verify: verdict(socket, shown, depth), ...fieldsOf(new X509Certificate(shown.raw)) };
}

function verdict(socket: TLSSocket, shown: Partial<DetailedPeerCertificate>, depth: number): string {
  const handle = (socket as unknown as WithHandle)._handle;
  const error = handle === null ? new Error("the connection is closed") : handle.verifyError();
  if (error !== null) return `FAILED:${error.message}`;
  return between(shown) > depth ? "FAILED:certificate chain too long" : "SUCCESS";
}

/** Certificates of a chain without the client's and one that signs itself, which Node may know or not. */
function between(own: Partial<DetailedPeerCertificate>): number {
  let count = 0;
  let before = own;
  for (;;) {
    const one: Partial<DetailedPeerCertificate> | undefined = before.issuerCertificate;
    if (one === undefined || one === before || one.issuerCertificate === one) return count;
    count++;
    before = one;
  }
}

function fieldsOf(own: X509Certificate): Omit<ClientCertificate, "verify"> {
  return {
    subject: inOrder(own.subject),
    issuer: inOrder(own.issuer),
    serial: own.serialNumber,
    fingerprint: own.fingerprint.replaceAll(":", "").toLowerCase(),
  };
}

/** Node gives a line for each part, escaped by RFC 2253 already; there the last comes first. */
const inOrder = (name: string): string => name.split("\n").reverse().join(",");
