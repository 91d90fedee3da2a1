import type { BodyFilter, ExchangeResponse } from "../../abi/exchange.js";
import { isCoded } from "../../abi/text/body-coding.js";
import { MAX_SYNC_BYTES } from "../../abi/text/filter.js";
import { addedLine } from "../../abi/text/header-edits.js";
import { VERSION } from "../../abi/version.js";
import { supportedCoding, withoutCodings } from "../../http/content-encoding.js";
import { CodingError } from "../../http/fault.js";
import { FieldNames } from "../../http/field-names.js";
import { HeaderList } from "../../http/header-list.js";
import type { ResponseHead } from "../../http/response-head.js";
import { dateLine } from "./clock.js";

const SERVER = addedLine("server", "Server", `GW/${VERSION}`);

const EMPTY = new HeaderList("", []);

/**
 * Headers of the old body, removed before header actions can set new ones. A filtered body keeps a weak ETag:
 * it promises the same meaning, not the same bytes (RFC 9110 section 8.8.1).
 */
const OF_THE_BODY =
  "content-encoding last-modified digest content-digest repr-digest content-md5 accept-ranges".split(" ");
const ALL_BUT_ETAG = new FieldNames(OF_THE_BODY);
const ALL = new FieldNames([...OF_THE_BODY, "etag"]);
/** Placeholder for filters without text to work on: it rejects every body. */
const UNFILTERABLE: BodyFilter = { apply: (text) => text, maxBytes: -1, oversize: "refuse" };
/** Part of a representation: its bytes must fit its Content-Range, so nobody changes them. */
const PARTIAL = 206;

export class GatewayResponse implements ExchangeResponse {
  status = 0;
  isLocalReply = false;
  headers: HeaderList = EMPTY;
  /** Body of a local reply; undefined for a response from the upstream. */
  ownBody: string | undefined = undefined;
  replacement: string | undefined = undefined;
  /** Filters in order of execution. */
  filters: BodyFilter[] | undefined = undefined;
  /** Sync limit of all filters together, in bytes. */
  atOnce = 0;
  /** Content-Encoding before the filters removed it; "" for none. */
  coding = "";
  /** Reason why the filters have no text; undefined: they reject a body for its size alone. */
  fault: string | undefined = undefined;
  /** Reason phrase of the upstream, valid while the status is unchanged. */
  #reason = "";
  #reasonOf = 0;

  receive(head: ResponseHead): void {
    this.status = head.status;
    this.headers = head.headers;
    this.isLocalReply = false;
    this.#reason = head.reason;
    this.#reasonOf = head.status;
    head.headers.appendLine(SERVER);
    if (!head.dated) head.headers.appendLine(dateLine());
  }

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

  /** Reason phrase of the status; undefined for the standard one. */
  get reason(): string | undefined {
    return this.#reasonOf === this.status ? this.#reason : undefined;
  }

  received(name: string): string | undefined {
    return this.headers.getReceived(name);
  }

  receivedAll(name: string): string[] {
    return this.headers.getAllReceived(name);
  }

  get #partial(): boolean {
    return !this.isLocalReply && this.#reasonOf === PARTIAL;
  }

  replaceBody(body: string): void {
    if (this.#partial) return;
    this.replacement = body;
    this.filters = undefined;
    this.headers.setAside(ALL);
  }

  /**
   * Adds a filter. A coding that cannot be undone leaves body and headers unchanged: removing the header
   * without decoding would make the response unreadable (reference 5.4).
   */
  filterBody(filter: BodyFilter): void {
    if (this.filters !== undefined) {
      this.filters.push(filter);
      this.atOnce = 1 / (1 / this.atOnce + 1 / (filter.syncBytes ?? MAX_SYNC_BYTES));
      return;
    }
    if (this.#partial) return;
    const isText = this.#undoWrittenCoding();
    // Coding of the bytes, even if a plugin has changed the header.
    const coding = this.replacement === undefined ? (this.received("content-encoding") ?? "") : "";
    if (coding !== "" && !supportedCoding(coding)) return;
    this.coding = coding;
    this.filters = [isText ? filter : UNFILTERABLE];
    this.atOnce = filter.syncBytes ?? MAX_SYNC_BYTES;
    this.headers.setAside(this.headers.get("etag")?.startsWith("W/") ? ALL_BUT_ETAG : ALL);
  }

  /** Decodes a body that an earlier plugin wrote coded; false if it cannot be decoded. */
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

  /** Removes a Content-Encoding that the configuration wrote for a changed body that is not in that coding. */
  dropFalseCoding(): void {
    const { filters, headers, isLocalReply, ownBody, replacement } = this;
    if (!isLocalReply && filters === undefined && replacement === undefined) return;
    if (!headers.wasWritten("content-encoding")) return;
    const coding = headers.get("content-encoding") ?? "";
    if (coding.toLowerCase() === "identity") return;
    const body = replacement ?? ownBody ?? "";
    if (filters !== undefined || !isCoded(body, coding)) headers.delete("Content-Encoding");
  }

  /** Cancels filtering: the body passes unchanged, with the headers that describe it. */
  keepBody(): void {
    this.filters = undefined;
    this.headers.restore();
  }
}
