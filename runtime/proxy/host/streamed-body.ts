import { BufferedBytes } from "../../abi/buffered-bytes.js";
import type { BodyStream } from "../../abi/exchange.js";
import { latin1 } from "../../abi/text/bytes.js";
import { Coder } from "../../http/coding-stream.js";
import { headerBytes, ringOf } from "../../http/coding-window.js";
import type { GatewayExchange } from "../exchange/exchange.js";
import { CodeKind, clearRunning, markRunning } from "./execution-marker.js";
import { passText, startPassing, UNKNOWN_LENGTH } from "./send-response.js";
import type { WorkerContext } from "./worker-context.js";

/** What a body that is filtered needs of the exchange with the upstream. */
export interface UpstreamBodyControl {
  /** Stops and continues reading from the upstream; without effect once its response has ended. */
  pause(): void;
  resume(): void;
  /** The body cannot be had as it should be: 502 unless another status is given, or a cut where something has left. */
  broken(event: string, reason: unknown, status?: number): void;
  /** The response has been handed over whole. */
  completed(): void;
}

/** Milliseconds after which filters and encoder give what they have, so that a body that comes slowly does not wait in them. */
export const QUIET = 50;
/** What several slow filters may not go below: each slice has a cost of its own. */
const MIN_SLICE = 1_024;
/** Text that a decoder makes at a time. A body that is no longer keeps less than its connection does. */
const STEP = 65_536;
const NOTHING = Buffer.alloc(0);

/**
 * A body that goes through its filters in pieces: decoded where it is coded, and coded again where the client takes that.
 * What is held of it does not depend on its length; a client that reads slowly stops the upstream.
 */
export class StreamedBody {
  readonly #x: GatewayExchange;
  readonly #path: WorkerContext;
  readonly #source: UpstreamBodyControl;
  readonly #streams: readonly BodyStream[];
  /** Largest text that all filters which refuse would still take. */
  readonly #maxBytes: number;
  /** Bytes that all filters together take in a part of a turn, whatever they are. */
  readonly #slice: number;
  /** Coding to undo; "" none. */
  readonly #coding: string;
  readonly #encoder: Coder | undefined;
  /** Stops what brings text: the upstream, or the decoder. */
  readonly #input: Valve<"client" | "turn" | "encoder">;
  #decoder: Coder | undefined = undefined;
  /** Text that the decoder keeps to refer back to: up to 16 MB. */
  readonly #kept: BufferedBytes;
  #window = 0;
  /** Coded bytes that came before the decoder could be chosen. */
  #beginning: Buffer | undefined = undefined;
  /** Pieces of one read, which are filtered together. */
  #gathered = "";
  #size = 0;
  /** Text that waits for its turn, and whether it is the last. */
  #pending = "";
  #ended = false;
  #waits = false;
  /** Runs while something may have to be given without more text. */
  #quiet: NodeJS.Timeout | undefined = undefined;
  #over = false;

  /** `recode`: coding in which the client gets the body; undefined: none. */
  constructor(
    x: GatewayExchange,
    path: WorkerContext,
    source: UpstreamBodyControl,
    { maxBytes, recode }: { maxBytes: number; recode: string | undefined },
  ) {
    this.#x = x;
    this.#path = path;
    this.#source = source;
    this.#maxBytes = maxBytes;
    this.#coding = x.response.coding;
    this.#kept = new BufferedBytes(path);
    this.#slice = Math.max(MIN_SLICE, Math.floor(x.response.atOnce / 4));
    this.#streams = (x.response.filters ?? []).flatMap(({ open }) => open?.() ?? []);
    this.#input = new Valve(
      () => (this.#decoder ?? source).pause(),
      () => (this.#decoder ?? source).resume(),
    );
    this.#encoder =
      recode === undefined
        ? undefined
        : Coder.encoder(recode, {
            data: (bytes) => this.#sendBytes(bytes),
            drained: () => this.#input.open("encoder"),
            ended: () => this.#complete(),
            failed: (error) => this.#fail("filter_failed", error),
          });
  }

  add(buffer: Buffer, start: number, end: number): void {
    if (this.#over) return;
    if (this.#coding === "") this.#gathered += latin1(buffer, start, end);
    else this.#decode(buffer.subarray(start, end));
  }

  /** A read has been given whole. */
  fed(): void {
    if (this.#over || this.#coding !== "") return;
    const text = this.#gathered;
    this.#gathered = "";
    this.#filter(text, false);
    if (this.#encoder === undefined) this.begin();
  }

  end(): void {
    if (this.#over) return;
    if (this.#coding === "") {
      const text = this.#gathered;
      this.#gathered = "";
      this.#filter(text, true);
    } else if (this.#beginning !== undefined) {
      this.#openDecoder(this.#beginning);
      this.#decoder?.end();
    } else this.#decoder?.end();
  }

  /** Nobody wants it any more. */
  destroy(): void {
    this.#over = true;
    this.#decoder?.destroy();
    this.#encoder?.destroy();
    this.#kept.release();
    clearTimeout(this.#quiet);
  }

  #decode(bytes: Buffer): void {
    const decoder = this.#decoder;
    if (decoder === undefined) {
      const beginning = Buffer.concat([this.#beginning ?? NOTHING, bytes]);
      this.#beginning = beginning;
      if (beginning.length >= headerBytes(this.#coding)) this.#openDecoder(beginning);
    } else if (!decoder.write(bytes)) this.#source.pause();
  }

  #openDecoder(beginning: Buffer): void {
    this.#beginning = undefined;
    const ring = ringOf(this.#coding, beginning);
    this.#window = ring.most;
    if (ring.first > STEP && !this.#kept.take(ring.first)) {
      this.#fail("buffered_bodies_full", "room", 503);
      return;
    }
    this.#decoder = Coder.decoder(this.#coding, beginning, {
      data: (bytes) => {
        if (!this.#hasRoom(this.#size + bytes.length)) this.#fail("buffered_bodies_full", "room", 503);
        else this.#filter(latin1(bytes, 0, bytes.length), false);
      },
      drained: () => this.#source.resume(),
      ended: () => this.#filter("", true),
      failed: (error) => this.#fail("body_not_filtered", error.message),
    });
    if (!this.#decoder.write(beginning)) this.#source.pause();
  }

  /** Counts what the decoder will keep when it has made its next text, beyond the `size` bytes so far. */
  #hasRoom(size: number): boolean {
    if (size <= STEP) return true;
    const more = Math.min(this.#window, size + STEP) - this.#kept.bytes;
    return more <= 0 || this.#kept.take(more);
  }

  #filter(piece: string, last: boolean): void {
    if (this.#over) return;
    this.#size += piece.length;
    if (this.#size > this.#maxBytes) {
      this.#fail("body_too_large_to_filter", "oversize");
      return;
    }
    this.#pending = this.#pending === "" ? piece : this.#pending + piece;
    this.#ended = last;
    if (!this.#waits) this.#work();
  }

  /** Filters what is pending, slice by slice, until the turn is over. */
  #work(): void {
    const { turn } = this.#path;
    const text = this.#pending;
    let out = "";
    let from = 0;
    let done = false;
    try {
      while (!done && !turn.over) {
        const end = Math.min(from + this.#slice, text.length);
        done = end === text.length;
        const last = done && this.#ended;
        out += turn.take(() => this.#push(text.slice(from, end), last));
        from = end;
      }
      if (done && !this.#ended) out += turn.take(() => this.#pause(false));
    } catch (error) {
      this.#fail("filter_failed", error);
      return;
    }
    this.#pending = text.slice(from);
    this.#deliver(out, done && this.#ended);
    if (this.#over || (done && this.#ended)) return;
    if (turn.over) this.#wait();
    else this.#input.open("turn");
  }

  #wait(): void {
    this.#waits = true;
    this.#input.close("turn");
    this.#path.turn.next(() => {
      this.#waits = false;
      if (!this.#over) this.#work();
    });
  }

  #push(slice: string, last: boolean): string {
    let out = slice;
    markRunning(this.#x.route, CodeKind.filter);
    for (const stream of this.#streams) if (last || out !== "") out = stream.push(out, last);
    clearRunning();
    return out;
  }

  /** Text that is decided although nothing more has come, of each filter through those behind it. */
  #pause(quiet: boolean): string {
    let out = "";
    markRunning(this.#x.route, CodeKind.filter);
    for (const stream of this.#streams) {
      if (out !== "") out = stream.push(out, false);
      out += stream.pause?.(quiet) ?? "";
    }
    clearRunning();
    return out;
  }

  #deliver(text: string, last: boolean): void {
    const encoder = this.#encoder;
    if (encoder === undefined) {
      if (text !== "") this.#sendText(text);
      if (last) this.#complete();
    } else {
      if (text !== "" && !encoder.writeText(text)) this.#input.close("encoder");
      if (last) encoder.end();
    }
    if (this.#over || last) clearTimeout(this.#quiet);
    else if ((encoder !== undefined && text !== "") || this.#streams.some(({ deferred }) => deferred))
      this.#quiet ??= setTimeout(() => this.#giveAll(), QUIET);
  }

  /** Not put off by text that comes: a stream of many small pieces is never quiet. */
  #giveAll(): void {
    this.#quiet = undefined;
    if (this.#over) return;
    try {
      // Text that waits for its turn will be filtered, and pause, then.
      if (!this.#waits)
        this.#deliver(
          this.#path.turn.take(() => this.#pause(true)),
          false,
        );
    } catch (error) {
      this.#fail("filter_failed", error);
      return;
    }
    this.#encoder?.flush();
  }

  #sendText(text: string): void {
    this.#start();
    passText(this.#x, text);
    this.#waitForClient();
  }

  #sendBytes(bytes: Buffer): void {
    if (this.#over) return;
    const { inbound, responseCapture } = this.#x;
    this.#start();
    this.#x.bodyBytesSent += bytes.length;
    responseCapture?.add(bytes, 0, bytes.length);
    inbound.data(bytes, 0, bytes.length);
    this.#waitForClient();
  }

  #start(): void {
    if (!this.#x.inbound.started) startPassing(this.#x, UNKNOWN_LENGTH);
  }

  /** Sends the head: the client need not wait for it until something is decided. */
  begin(): void {
    if (this.#over) return;
    this.#start();
    this.#x.inbound.flush();
  }

  #waitForClient(): void {
    const { inbound } = this.#x;
    if (!inbound.full || inbound.over) return;
    const encoder = this.#encoder;
    if (encoder === undefined) this.#input.close("client");
    else encoder.pause();
    inbound.onDrain = () => {
      inbound.onDrain = undefined;
      if (encoder === undefined) this.#input.open("client");
      else encoder.resume();
    };
  }

  #complete(): void {
    if (this.#over) return;
    this.#start();
    this.destroy();
    this.#x.inbound.end();
    this.#source.completed();
  }

  #fail(event: string, reason: unknown, status?: number): void {
    if (this.#over) return;
    this.destroy();
    this.#source.broken(event, reason, status);
  }
}

/** Stops and starts something that several have a reason to stop: it runs while none has. */
class Valve<Reason extends string> {
  readonly #reasons = new Set<Reason>();
  readonly #stop: () => void;
  readonly #start: () => void;

  constructor(stop: () => void, start: () => void) {
    this.#stop = stop;
    this.#start = start;
  }

  close(reason: Reason): void {
    if (this.#reasons.size === 0) this.#stop();
    this.#reasons.add(reason);
  }

  open(reason: Reason): void {
    if (this.#reasons.delete(reason) && this.#reasons.size === 0) this.#start();
  }
}
