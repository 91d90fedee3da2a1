import net from "node:net";
import tls from "node:tls";

export interface Reader {
  /** `buffer[0, length)` is valid during the call, unless the reader keeps it and sets `nextBuffer`. */
  received(buffer: Buffer, length: number): void;
  /** Replacement for the buffer of this socket's next read; read and cleared after each call. */
  nextBuffer: Buffer | undefined;
}

/** Largest piece written as a latin1 string: libuv copies it from the stack, so the source can be reused at once. */
export const SMALL_WRITE = 16_384;
export const LARGE_BUFFER = 65_536;

/** Shared by all sockets (5 to 8 µs a request less than 'data' events); small writes copy it before the next read. */
const SHARED_BUFFER: Buffer = Buffer.allocUnsafeSlow(SMALL_WRITE);

const spare: Buffer[] = [];
/** Reference counts of large buffers: the socket that reads into one, and each write in progress from it. */
const users = new WeakMap<Buffer, number>();

/** Takes a buffer, to be returned by `releaseBuffer`. */
export function takeLargeBuffer(): Buffer {
  const buffer = spare.pop() ?? Buffer.allocUnsafeSlow(LARGE_BUFFER);
  users.set(buffer, 1);
  return buffer;
}

/** Holds `buffer` for a write, until `releaseBuffer`. Buffers of other origin are left to the garbage collector. */
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
 * @param pinned bytes of this buffer are still needed
 * @param remaining expected bytes, so that large bodies are read in large pieces
 * @returns undefined for the same buffer
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
  /** Returns 0 or an error number. */
  getpeername(name: object): number;
}

/** Parts of net.Socket that its types omit: the handle, and `handle` as a constructor option. */
interface WithHandle {
  _handle: RawHandle | null;
}

const onread = (reader: Reader): net.OnReadOpts => {
  let first = true;
  return {
    // Called for the first buffer and after each read; undefined keeps the current one.
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

export function carries(socket: tls.TLSSocket, carrier: net.Socket): void {
  carriers.set(socket, carrier);
}

export const carrierOf = (socket: net.Socket): net.Socket | undefined => carriers.get(socket);

/** Reads by 'data' events, for sockets that cannot read into our buffer (TLS). */
function readByEvents(socket: net.Socket, reader: Reader): net.Socket {
  socket.on("data", (chunk: Buffer) => {
    reader.received(chunk, chunk.length);
    reader.nextBuffer = undefined;
  });
  return socket;
}

/**
 * Makes an accepted socket read into the shared buffer. The server needs `pauseOnConnect`, so that nothing
 * was read before. Without access to the handle the socket is used with 'data' events.
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
 * Detects a reset that libuv reports as an orderly end (POLLHUP after a partial read: 38 of 39 offsets seen):
 * its socket has no peer (120 of 120). Not over TLS: Node does not tell if the close alert came.
 */
export function wasReset(socket: net.Socket): boolean {
  const handle = (socket as unknown as WithHandle)._handle;
  return handle === null || handle.getpeername({}) !== 0;
}

export interface ConnectOptions {
  host: string;
  port: number;
  /** Undefined for plain TCP. */
  tls: { servername: string; verify: boolean } | undefined;
  /** Resolves a name. Default: the system's resolver. */
  lookup?: net.LookupFunction | undefined;
}

/** Usual events follow: 'connect' ('secureConnect' for TLS), 'error', 'end', 'close'. */
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

/** One end of a tunnel (a connection after 101): bytes go to the other end as they arrive. */
export interface TunnelEnd {
  received(buffer: Buffer, length: number): void;
  drained(): void;
  /** The connection of this end has closed. */
  ended(): void;
}
