/** Maximum size of a hello: OpenSSL allows 128 kB, clients with post-quantum keys send 2 kB. */
const MAX_HELLO = 16_384;
const MAX_RECORD = 16_384;
const MAX_NAME = 255;
/** Record type of handshakes (RFC 8446 section 5.1) and the message type in it (section 4). */
const HANDSHAKE = 22;
const CLIENT_HELLO = 1;
const SERVER_NAME = 0;

export type HelloRead =
  /** Undefined if the client names no server, or an invalid one. */
  | { serverName: string | undefined }
  /** The hello is incomplete. */
  | "more"
  /** This is not TLS. */
  | "foreign";

/**
 * Reads the server name of a client before the handshake starts. So the certificate, the client authorities
 * and the scope of sessions are chosen together. OpenSSL looks up a session before it asks for a certificate:
 * one made for a name without client certificates would open a name with them (CVE-2025-23419).
 * @param bytes received so far
 */
export function readClientHello(bytes: Buffer): HelloRead {
  if (bytes.length === 0) return "more";
  if (bytes[0] !== HANDSHAKE || (bytes.length > 1 && bytes[1] !== 3)) return "foreign";
  const message = messageIn(bytes);
  if (typeof message === "string") return message;
  return { serverName: serverNameIn(message) };
}

/** The message may span several records; one walk and one copy, however small a client cuts them. */
function messageIn(bytes: Buffer): Buffer | "more" | "foreign" {
  const pieces: Buffer[] = [];
  for (let at = 0; at + 5 <= bytes.length; ) {
    const size = bytes.readUInt16BE(at + 3);
    if (bytes[at] !== HANDSHAKE || size === 0 || size > MAX_RECORD) return "foreign";
    pieces.push(bytes.subarray(at + 5, at + 5 + size));
    at += 5 + size;
  }
  const message = Buffer.concat(pieces);
  if (message.length > 0 && message[0] !== CLIENT_HELLO) return "foreign";
  if (message.length < 4) return "more";
  const end = 4 + message.readUIntBE(1, 3);
  if (end > MAX_HELLO) return "foreign";
  return message.length < end ? "more" : message.subarray(4, end);
}

/** @returns undefined also for a malformed hello, which OpenSSL rejects */
function serverNameIn(hello: Buffer): string | undefined {
  try {
    // Skips version and random, session id, cipher suites and compressions.
    let at = 34;
    at += 1 + hello.readUInt8(at);
    at += 2 + hello.readUInt16BE(at);
    at += 1 + hello.readUInt8(at);
    const end = at + 2 + hello.readUInt16BE(at);
    at += 2;
    while (at + 4 <= end) {
      const type = hello.readUInt16BE(at);
      const size = hello.readUInt16BE(at + 2);
      if (type === SERVER_NAME) return hostIn(hello.subarray(at + 4, at + 4 + size));
      at += 4 + size;
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return undefined;
}

/** Reads a list with one name of type host_name (RFC 6066 section 3). */
function hostIn(list: Buffer): string | undefined {
  if (list.length < 5 || list.readUInt8(2) !== 0) return undefined;
  const size = list.readUInt16BE(3);
  if (size === 0 || size > MAX_NAME || 5 + size > list.length) return undefined;
  const name = list.toString("latin1", 5, 5 + size).toLowerCase();
  return /^[\x21-\x7e]+$/.test(name) ? name.replace(/\.$/, "") : undefined;
}
