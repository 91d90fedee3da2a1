import net from "node:net";
import tls from "node:tls";

/** Takes what a socket received. */
export interface Reader {
  /** `buffer[0, length)` is valid during the call, unless the reader keeps it and sets `nextBuffer`. */
  received(buffer: Buffer, length: number): void;
  /** The buffer for the next read of this socket, when it is to be another one; read and cleared after each call. */
  nextBuffer: Buffer | undefined;
}

/** Largest piece that leaves as one latin1 string: libuv copies it from the stack, so the source may be reused at once. */
export const SMALL_WRITE = 16_384;
/** Bytes of the buffers that large bodies are read into. */
export const LARGE_BUFFER = 65_536;

/**
 * Every socket reads into this one buffer: 5 to 8 µs a request cheaper than 'data' events. It is as large as the largest
 * small write, so what was read into it is always copied before the next read.
 */
const SHARED_BUFFER: Buffer = Buffer.allocUnsafeSlow(SMALL_WRITE);

const spare: Buffer[] = [];
/** Large buffers and who still needs their bytes: the socket that reads into one, and each write under way from it. */
const users = new WeakMap<Buffer, number>();

/** A buffer that goes back by `releaseBuffer`. */
export function takeLargeBuffer(): Buffer {
  const buffer = spare.pop() ?? Buffer.allocUnsafeSlow(LARGE_BUFFER);
  users.set(buffer, 1);
  return buffer;
}

/** A write of bytes of `buffer` is under way; `releaseBuffer` when it is done. Buffers that are not ours are left to the collector. */
export function holdBuffer(buffer: Buffer): void {
  const count = users.get(buffer);
  if (count !== undefined) users.set(buffer, count + 1);
}

export function releaseBuffer(buffer: Buffer): void {
  const count = users.get(buffer);
  if (count === undefined) return;
  users.set(buffer, count - 1);
  if (count === 1 && spare.length < 32) spare.push(buffer);
}

/**
 * What the read after this one goes into; undefined: the same buffer. `pinned`: bytes of this one are still needed.
 * `remaining`: bytes that are expected, so that large bodies are read in large pieces.
 */
export function bufferAfter(buffer: Buffer, pinned: boolean, remaining: number): Buffer | undefined {
  const large = remaining > SMALL_WRITE;
  if (buffer === SHARED_BUFFER) return large ? takeLargeBuffer() : undefined;
  if (!users.has(buffer) || (large && !pinned)) return undefined;
  releaseBuffer(buffer);
  return large ? takeLargeBuffer() : SHARED_BUFFER;
}

interface RawHandle {
  reading: boolean;
  /** 0 or an error number. */
  getpeername(name: object): number;
}

/** Parts of net.Socket that its types leave out: the handle, and `handle` as a constructor option. */
interface WithHandle {
  _handle: RawHandle | null;
}

const onread = (reader: Reader): net.OnReadOpts => {
  let first = true;
  return {
    // Called once for the first buffer and then after each read; undefined keeps the present one.
    buffer: (() => {
      if (first) {
        first = false;
        return SHARED_BUFFER;
      }
      const next = reader.nextBuffer;
      reader.nextBuffer = undefined;
      return next;
    }) as () => Uint8Array,
    callback(length, buffer) {
      reader.received(buffer as Buffer, length);
      return true;
    },
  };
};

const carriers = new WeakMap<net.Socket, net.Socket>();

/** Notes which connection carries a TLS socket of a client. */
export function carries(socket: tls.TLSSocket, carrier: net.Socket): void {
  carriers.set(socket, carrier);
}

export const carrierOf = (socket: net.Socket): net.Socket | undefined => carriers.get(socket);

/** 'data' events for sockets that cannot read into a buffer of ours (TLS). */
function readByEvents(socket: net.Socket, reader: Reader): net.Socket {
  socket.on("data", (chunk: Buffer) => {
    reader.received(chunk, chunk.length);
    reader.nextBuffer = undefined;
  });
  return socket;
}

/**
 * An accepted socket, reading into the shared buffer. The server must be made with `pauseOnConnect`, so that nothing was
 * read before. Where the handle cannot be had, the socket is used as it is with 'data' events.
 */
export function adoptSocket(accepted: net.Socket, reader: Reader): net.Socket {
  const holder = accepted as unknown as WithHandle;
  const handle = holder._handle;
  if (handle === null || accepted instanceof tls.TLSSocket) {
    const socket = readByEvents(accepted, reader);
    socket.resume();
    return socket;
  }
  holder._handle = null;
  const options = {
    handle,
    onread: onread(reader),
    allowHalfOpen: true,
  } as unknown as net.SocketConstructorOpts;
  const socket = new net.Socket(options);
  socket.setNoDelay(true);
  socket.resume();
  return socket;
}

/**
 * Whether a socket that told its end was reset in truth. libuv tells a reset that comes with the last bytes as an orderly
 * end (POLLHUP behind a partial read: 38 of 39 offsets seen); but what was reset has no peer any more (120 of 120). Over TLS
 * an end without the closing alert cannot be told apart: Node does not say whether the alert came.
 */
export function wasReset(socket: net.Socket): boolean {
  const handle = (socket as unknown as WithHandle)._handle;
  return handle === null || handle.getpeername({}) !== 0;
}

export interface ConnectOptions {
  host: string;
  port: number;
  /** Undefined: plain TCP. */
  tls: { servername: string; verify: boolean } | undefined;
  /** Finds the addresses of a name; default the system's. */
  lookup?: net.LookupFunction | undefined;
}

/** Opens a connection to an upstream; events 'connect' ('secureConnect' for TLS), 'error', 'end', 'close' as usual. */
export function connectSocket(options: ConnectOptions, reader: Reader): net.Socket {
  const { host, port } = options;
  const lookup = options.lookup && { lookup: options.lookup };
  if (options.tls) {
    const { servername, verify } = options.tls;
    const name = net.isIP(servername) === 0 ? { servername } : {};
    const socket = tls.connect({
      host,
      port,
      ...lookup,
      ...name,
      rejectUnauthorized: verify,
      ALPNProtocols: ["http/1.1"],
    });
    socket.setNoDelay(true);
    return readByEvents(socket, reader);
  }
  return net.connect({ host, port, ...lookup, noDelay: true, allowHalfOpen: true, onread: onread(reader) });
}

/** One end of a tunnel (a connection after 101): bytes go to the other end as they come. */
export interface TunnelEnd {
  received(buffer: Buffer, length: number): void;
  drained(): void;
  /** This end's connection is over. */
  ended(): void;
}
