import { BufferedBytes } from "../../abi/buffered-bytes.js";
import type { BodyStream } from "../../abi/exchange.js";
import { latin1 } from "../../abi/text/bytes.js";
import { Coder } from "../../http/coding-stream.js";
import { headerBytes, ringOf } from "../../http/coding-window.js";
import type { GatewayExchange } from "../exchange/exchange.js";
import { CodeKind, clearRunning, markRunning } from "./execution-marker.js";
import { passBytes, passText, startPassing, UNKNOWN_LENGTH } from "./send-response.js";
import type { WorkerContext } from "./worker-context.js";

export interface UpstreamBodyControl {
  /** Pauses and resumes reading from the upstream; no effect after the end of its response. */
  pause(): void;
  resume(): void;
  /** Reports a failed body: 502 by default, or a cut if something has left. */
  broken(event: string, reason: unknown, status?: number): void;
  completed(): void;
}

/** Time in ms after which filters and encoder emit their output, so that a slow body is not delayed in them. */
export const QUIET = 50;
/** Minimum slice for several slow filters: each slice has a cost of its own. */
const MIN_SLICE = 1_024;
/** Text that a decoder makes at a time, in bytes. A body that is no longer keeps less than its connection does. */
const STEP = 65_536;
const NOTHING = Buffer.alloc(0);

/**
 * Body that streams through its filters: decoded if coded, and encoded again if the client accepts that. Its
 * memory does not depend on its length; a slow client pauses the upstream.
 */
export class StreamedBody {
  readonly #x: GatewayExchange;
  readonly #path: WorkerContext;
  readonly #source: UpstreamBodyControl;
  readonly #streams: readonly BodyStream[];
  /** Largest text that no filter rejects. */
  readonly #maxBytes: number;
  /** Bytes that all filters together handle in a part of a time slice, whatever the bytes are. */
  readonly #slice: number;
  /** Coding to undo; "" for none. */
  readonly #coding: string;
  readonly #encoder: Coder | undefined;
  /** Pauses the source of text: the upstream, or the decoder. */
  readonly #input: Valve<"client" | "turn" | "encoder">;
  #decoder: Coder | undefined = undefined;
  /** Window of the decoder for back references: up to 16 MB. */
  readonly #buffered: BufferedBytes;
  #window = 0;
  /** Coded bytes that arrived before the decoder was chosen. */
  #beginning: Buffer | undefined = undefined;
  /** Pieces of one read, which are filtered together. */
  #gathered = "";
  #size = 0;
  /** Text that waits for its time slice; `#ended` tells that it is the last. */
  #pending = "";
  #ended = false;
  #waits = false;
  /** Timer that runs while output may have to leave without more text. */
  #quiet: NodeJS.Timeout | undefined = undefined;
  #isOver = false;

  /** @param recode coding of the body for the client; undefined for none */
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
    this.#buffered = new BufferedBytes(path);
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
    if (this.#isOver) return;
    if (this.#coding === "") this.#gathered += latin1(buffer, start, end);
    else this.#decode(buffer.subarray(start, end));
  }

  fed(): void {
    if (this.#isOver || this.#coding !== "") return;
    const text = this.#gathered;
    this.#gathered = "";
    this.#filter(text, false);
    if (this.#encoder === undefined) this.begin();
  }

  end(): void {
    if (this.#isOver) return;
    if (this.#coding === "") {
      const text = this.#gathered;
      this.#gathered = "";
      this.#filter(text, true);
    } else {
      if (this.#beginning !== undefined) this.#openDecoder(this.#beginning);
      this.#decoder?.end();
    }
  }

  destroy(): void {
    this.#isOver = true;
    this.#decoder?.destroy();
    this.#encoder?.destroy();
    this.#buffered.release();
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
    if (ring.first > STEP && !this.#buffered.take(ring.first)) {
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

  /** Counts the window that the decoder will have after its next text, for `size` bytes so far. */
  #hasRoom(size: number): boolean {
    if (size <= STEP) return true;
    const more = Math.min(this.#window, size + STEP) - this.#buffered.bytes;
    return more <= 0 || this.#buffered.take(more);
  }

  #filter(piece: string, last: boolean): void {
    if (this.#isOver) return;
    this.#size += piece.length;
    if (this.#size > this.#maxBytes) {
      this.#fail("body_too_large_to_filter", "oversize");
      return;
    }
    this.#pending = this.#pending === "" ? piece : this.#pending + piece;
    this.#ended = last;
    if (!this.#waits) this.#work();
  }

  /** Filters the pending text in slices until the time slice is used up. */
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
    if (this.#isOver || (done && this.#ended)) return;
    if (turn.over) this.#wait();
    else this.#input.open("turn");
  }

  #wait(): void {
    this.#waits = true;
    this.#input.close("turn");
    this.#path.turn.next(() => {
      this.#waits = false;
      if (!this.#isOver) this.#work();
    });
  }

  #push(slice: string, last: boolean): string {
    let out = slice;
    markRunning(this.#x.route, CodeKind.filter);
    for (const stream of this.#streams) if (last || out !== "") out = stream.push(out, last);
    clearRunning();
    return out;
  }

  /** Returns decided text of each filter, passed through the following ones, although no more text has arrived. */
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
    if (this.#isOver || last) clearTimeout(this.#quiet);
    else if ((encoder !== undefined && text !== "") || this.#streams.some(({ deferred }) => deferred))
      this.#quiet ??= setTimeout(() => this.#giveAll(), QUIET);
  }

  /** Not postponed by new text: a stream of many small pieces is never quiet. */
  #giveAll(): void {
    this.#quiet = undefined;
    if (this.#isOver) return;
    try {
      // Text that waits for its time slice will be filtered, and pause, then.
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
    if (this.#isOver) return;
    this.#start();
    passBytes(this.#x, bytes);
    this.#waitForClient();
  }

  #start(): void {
    if (!this.#x.inbound.started) startPassing(this.#x, UNKNOWN_LENGTH);
  }

  /** Sends the head, so that the client need not wait until a filter decides. */
  begin(): void {
    if (this.#isOver) return;
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
    if (this.#isOver) return;
    this.#start();
    this.destroy();
    this.#x.inbound.end();
    this.#source.completed();
  }

  #fail(event: string, reason: unknown, status?: number): void {
    if (this.#isOver) return;
    this.destroy();
    this.#source.broken(event, reason, status);
  }
}

/** Runs a source while no reason to pause it exists. */
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
