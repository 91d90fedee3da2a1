import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { type Deadlines, type Timed, within } from "../deadlines.js";
import type { Limits } from "../limits.js";
import { carries } from "../transport.js";
import { readClientHello } from "./client-hello.js";
import type { Presented } from "./presented.js";
import type { SecureClient } from "./secure-connection.js";
import { clientCertificate, SecureState } from "./secure-state.js";

export interface HandshakeEvents {
  /** Returns the certificate for a client; undefined aborts the handshake. */
  find(serverName: string | undefined): Presented | undefined;
  secured(client: SecureClient): void;
  /** The client speaks HTTP without TLS; `first`: bytes received so far. */
  plain(socket: Socket, first: Buffer): void;
  failed(outcome: HandshakeFailure): void;
}

type HandshakeFailure = "refused" | "timeout" | "crowded" | "closed" | "no_certificate" | "foreign";

/** Maximum bytes of a hello with its record headers. */
const MAX_BYTES = 32_768;
/** Fatal alert unrecognized_name in a record of its own (RFC 6066 section 3). */
const UNRECOGNIZED_NAME = Buffer.from([21, 3, 1, 0, 2, 2, 112]);

/** TLS handshakes in progress in a process; each has its own place and timeout, so that they block nobody else. */
export class Handshakes {
  readonly #limits: Limits;
  readonly #deadlines: Deadlines;
  readonly #events: HandshakeEvents;
  /** Oldest first. */
  readonly #underWay = new Set<Handshake>();

  constructor(limits: Limits, deadlines: Deadlines, events: HandshakeEvents) {
    this.#limits = limits;
    this.#deadlines = deadlines;
    this.#events = events;
  }

  get size(): number {
    return this.#underWay.size;
  }

  /** @param socket accepted and paused */
  begin(socket: Socket): void {
    // An honest client needs two round trips at most, so the oldest is closed.
    const [oldest] = this.#underWay;
    if (this.#underWay.size >= this.#limits.handshakes) oldest?.fail("crowded");
    const handshake = new Handshake(socket, this.#events, () => {
      this.#underWay.delete(handshake);
      this.#deadlines.delete(handshake);
    });
    this.#underWay.add(handshake);
    handshake.deadline = within(this.#limits.handshakeTimeout);
    this.#deadlines.add(handshake);
  }

  close(): void {
    for (const handshake of [...this.#underWay]) handshake.fail("closed");
  }
}

class Handshake implements Timed {
  deadline = 0;
  readonly #carrier: Socket;
  readonly #events: HandshakeEvents;
  readonly #onEnd: () => void;
  #isOver = false;
  #hello: Buffer | undefined;

  constructor(carrier: Socket, events: HandshakeEvents, over: () => void) {
    this.#carrier = carrier;
    this.#events = events;
    this.#onEnd = over;
    // Stays: the carrier may fail at any time, and its end shows as that of the TLS socket.
    carrier.on("error", () => {});
    carrier.on("data", this.#took);
    carrier.on("end", this.#ended);
    carrier.on("close", this.#ended);
    carrier.resume();
  }

  expired(): void {
    this.fail("timeout");
  }

  fail(outcome: HandshakeFailure): void {
    if (!this.#end()) return;
    this.#carrier.destroy();
    this.#events.failed(outcome);
  }

  /** @returns false if it had ended before */
  #end(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#carrier.off("data", this.#took);
    this.#carrier.off("end", this.#ended);
    this.#carrier.off("close", this.#ended);
    this.#onEnd();
    return true;
  }

  readonly #ended = () => this.fail("closed");

  readonly #took = (chunk: Buffer) => {
    const bytes = this.#hello === undefined ? chunk : Buffer.concat([this.#hello, chunk]);
    this.#hello = bytes;
    const hello = readClientHello(bytes);
    if (hello === "more") {
      if (bytes.length > MAX_BYTES) this.fail("foreign");
    } else if (hello === "foreign") this.#foreign(bytes);
    else this.#answer(hello.serverName, bytes);
  };

  #foreign(bytes: Buffer): void {
    const [first = 0] = bytes;
    if (first < 0x41 || first > 0x5a) {
      this.fail("foreign");
      return;
    }
    if (!this.#end()) return;
    this.#events.failed("foreign");
    this.#carrier.pause();
    this.#events.plain(this.#carrier, bytes);
  }

  #answer(serverName: string | undefined, bytes: Buffer): void {
    const carrier = this.#carrier;
    carrier.off("data", this.#took);
    carrier.off("end", this.#ended);
    carrier.pause();
    const presented = this.#events.find(serverName);
    if (!presented?.isPresentable) {
      carrier.end(UNRECOGNIZED_NAME, () => this.fail("no_certificate"));
      return;
    }
    // OpenSSL reads the hello again.
    carrier.unshift(bytes);
    const socket = new TLSSocket(carrier, {
      isServer: true,
      secureContext: presented.context,
      ALPNProtocols: ["http/1.1"],
      // The certificate is checked after the handshake, so that the client gets the reason in HTTP.
      requestCert: presented.row.client !== undefined,
      rejectUnauthorized: false,
    });
    carries(socket, carrier);
    const refused = () => this.fail("refused");
    socket.on("error", refused);
    socket.on("end", this.#ended);
    socket.on("close", this.#ended);
    socket.once("secure", () => {
      if (!this.#end()) return;
      socket.off("error", refused);
      socket.off("end", this.#ended);
      socket.off("close", this.#ended);
      const { client } = presented.row;
      const shown = client === undefined ? undefined : clientCertificate(socket, client.depth);
      const state = new SecureState(socket, serverName, shown);
      this.#events.secured({ socket, carrier, presented, state, outdated: false });
    });
  }
}
