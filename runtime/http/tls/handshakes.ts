import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { type Deadlines, type Timed, within } from "../deadlines.js";
import type { Limits } from "../limits.js";
import { carries } from "../transport.js";
import { clientCertificate } from "./client-certificate.js";
import { readClientHello } from "./client-hello.js";
import type { Presented } from "./presented.js";
import type { SecureClient } from "./secure-connection.js";
import { SecureState } from "./secure-state.js";

/** What becomes of handshakes. */
export interface HandshakeEvents {
  /** The certificate for a client; undefined: it is refused. */
  find(serverName: string | undefined): Presented | undefined;
  secured(client: SecureClient): void;
  /** The client speaks HTTP without TLS. @param first what it has sent so far */
  plain(socket: Socket, first: Buffer): void;
  failed(outcome: HandshakeFailure): void;
}

/** Why there was no connection. */
export type HandshakeFailure = "refused" | "timeout" | "crowded" | "closed" | "no_certificate" | "foreign";

/** Bytes of a hello with the heads of its records. */
const MAX_BYTES = 32_768;
/** A fatal alert in a record of its own: unrecognized_name (RFC 6066 section 3). */
const UNRECOGNIZED_NAME = Buffer.from([21, 3, 1, 0, 2, 2, 112]);

/** The TLS handshakes under way in one process; each takes a place and time of its own, so that they keep nobody else out. */
export class Handshakes {
  readonly #limits: Limits;
  readonly #deadlines: Deadlines;
  readonly #events: HandshakeEvents;
  /** The oldest first. */
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
    // An honest client is done within two round trips: the oldest is the one to go.
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

  /** Ends those under way. */
  close(): void {
    for (const handshake of [...this.#underWay]) handshake.fail("closed");
  }
}

class Handshake implements Timed {
  deadline = 0;
  readonly #carrier: Socket;
  readonly #events: HandshakeEvents;
  readonly #over: () => void;
  #isOver = false;
  #hello: Buffer | undefined;

  constructor(carrier: Socket, events: HandshakeEvents, over: () => void) {
    this.#carrier = carrier;
    this.#events = events;
    this.#over = over;
    // It stays: what carries TLS may fail at any time, and its end shows as that of the TLS socket.
    carrier.on("error", ignore);
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

  /** @returns false when it was over before */
  #end(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#carrier.off("data", this.#took);
    this.#carrier.off("end", this.#ended);
    this.#carrier.off("close", this.#ended);
    this.#over();
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
    // OpenSSL reads the hello once more.
    carrier.unshift(bytes);
    const socket = new TLSSocket(carrier, {
      isServer: true,
      secureContext: presented.context,
      ALPNProtocols: ["http/1.1"],
      // What is shown is looked at behind the handshake, so that a client is told in HTTP what is wrong.
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

function ignore(): void {}
