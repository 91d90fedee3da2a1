import type { BodyFilter, ExchangeResponse } from "../../abi/exchange.js";
import { isCoded } from "../../abi/text/body-coding.js";
import { MAX_SYNC_BYTES } from "../../abi/text/filter.js";
import { addedLine } from "../../abi/text/header-edits.js";
import { VERSION } from "../../abi/version.js";
import { CodingError, supportedCoding } from "../../http/content-encoding.js";
import { withoutCodings } from "../../http/decode-body.js";
import { FieldNames } from "../../http/field-names.js";
import { HeaderList } from "../../http/header-list.js";
import type { ResponseHead } from "../../http/response-head.js";
import { dateLine } from "./clock.js";

const SERVER = addedLine("server", "Server", `GW/${VERSION}`);

const EMPTY = new HeaderList("", []);

/**
 * Fields that describe the old body; they go when the body changes, before header actions can put new ones. A weak ETag of
 * a filtered body stays: it promises the same meaning, not the same bytes (RFC 9110 section 8.8.1).
 */
const OF_THE_BODY =
  "content-encoding last-modified digest content-digest repr-digest content-md5 accept-ranges".split(" ");
const ALL_BUT_ETAG = new FieldNames(OF_THE_BODY);
const ALL = new FieldNames([...OF_THE_BODY, "etag"]);
/** Stands for filters that have no text to work on: it refuses every body. */
const UNFILTERABLE: BodyFilter = { apply: (text) => text, maxBytes: -1, oversize: "refuse" };
/** A part of a representation: its bytes have to fit its Content-Range, so nobody changes them. */
const PARTIAL = 206;

/** The response on its way to the client. */
export class GatewayResponse implements ExchangeResponse {
  status = 0;
  isLocalReply = false;
  headers: HeaderList = EMPTY;
  /** Body of an own response; undefined for one from the upstream. */
  ownBody: string | undefined = undefined;
  /** Body that replaces the whole. */
  replacement: string | undefined = undefined;
  /** Filters in the order in which they run. */
  filters: BodyFilter[] | undefined = undefined;
  /** Bytes that all of them together get through without holding up the event loop. */
  atOnce = 0;
  /** Content-Encoding before the filters removed it; "" when there was none. */
  coding = "";
  /** Why there is no text for the filters; undefined: they refuse a body for its size alone. */
  fault: string | undefined = undefined;
  /** Reason phrase of the upstream, for as long as the status is its own. */
  #reason = "";
  #reasonOf = 0;

  /** Becomes the upstream's response. */
  receive(head: ResponseHead): void {
    this.status = head.status;
    this.headers = head.headers;
    this.isLocalReply = false;
    this.#reason = head.reason;
    this.#reasonOf = head.status;
    head.headers.appendLine(SERVER);
    if (!head.dated) head.headers.appendLine(dateLine());
  }

  /** Becomes a response of the gateway's own. */
  answer(status: number, body: string, contentType: string): void {
    this.isLocalReply = true;
    this.status = status;
    this.ownBody = body;
    this.replacement = undefined;
    this.filters = undefined;
    this.fault = undefined;
    this.coding = "";
    this.headers = new HeaderList("", []);
    this.headers.appendLine(SERVER);
    this.headers.appendLine(dateLine());
    this.headers.append("Content-Type", contentType);
  }

  /** Reason phrase that goes with the status; undefined: the standard one. */
  get reason(): string | undefined {
    return this.#reasonOf === this.status ? this.#reason : undefined;
  }

  received(name: string): string | undefined {
    return this.headers.getReceived(name);
  }

  receivedAll(name: string): string[] {
    return this.headers.getAllReceived(name);
  }

  /** What came from the upstream is a part of something. */
  get #partial(): boolean {
    return !this.isLocalReply && this.#reasonOf === PARTIAL;
  }

  replaceBody(body: string): void {
    if (this.#partial) return;
    this.replacement = body;
    this.filters = undefined;
    this.headers.putAside(ALL);
  }

  /**
   * A coding that cannot be undone leaves body and fields as they are: a stripped header without decoding would make
   * the response unreadable (reference 5.4).
   */
  filterBody(filter: BodyFilter): void {
    if (this.filters !== undefined) {
      this.filters.push(filter);
      this.atOnce = 1 / (1 / this.atOnce + 1 / (filter.syncBytes ?? MAX_SYNC_BYTES));
      return;
    }
    if (this.#partial) return;
    const isText = this.#undoWrittenCoding();
    // The coding of the bytes, also where a plugin has changed what the header says about them.
    const coding = this.replacement === undefined ? (this.received("content-encoding") ?? "") : "";
    if (coding !== "" && !supportedCoding(coding)) return;
    this.coding = coding;
    this.filters = [isText ? filter : UNFILTERABLE];
    this.atOnce = filter.syncBytes ?? MAX_SYNC_BYTES;
    this.headers.putAside(this.headers.get("etag")?.startsWith("W/") ? ALL_BUT_ETAG : ALL);
  }

  /** A body that a plugin before has written coded, and labelled so: filters work on its text. False: there is none. */
  #undoWrittenCoding(): boolean {
    const body = this.replacement ?? this.ownBody;
    if (body === undefined || !this.headers.wasWritten("content-encoding")) return true;
    try {
      const text = withoutCodings(body, this.headers.get("content-encoding") ?? "");
      if (this.replacement !== undefined) this.replacement = text;
      else this.ownBody = text;
      return true;
    } catch (error) {
      if (!(error instanceof CodingError)) throw error;
      this.fault = error.message;
      return false;
    }
  }

  /** A changed body, or one of the gateway's own, is in no coding that a configuration names, unless it is a body that was made so. */
  dropFalseCoding(): void {
    const { filters, headers, isLocalReply, ownBody, replacement } = this;
    if (!isLocalReply && filters === undefined && replacement === undefined) return;
    if (!headers.wasWritten("content-encoding")) return;
    const coding = headers.get("content-encoding") ?? "";
    if (coding.toLowerCase() === "identity") return;
    const body = replacement ?? ownBody ?? "";
    if (filters !== undefined || !isCoded(body, coding)) headers.delete("Content-Encoding");
  }

  /** The body is not filtered after all: it leaves as it came, and so do the fields that say something about it. */
  keepBody(): void {
    this.filters = undefined;
    this.headers.bringBack();
  }
}
