import { isUtf8 } from "node:buffer";
import { randomBytes } from "node:crypto";
import { validUtf8 } from "../abi/text/record-text.js";
import type { Steps } from "../http/time-slice.js";
import { endOfCharacters, fieldsBehind, type LoggedBody } from "./body-text.js";

/** Bytes of a body that become JSON in one step: up to 1 ms if all are escaped. A multiple of 3, for base64. */
const SLICE = 61_440;
const BEYOND_ASCII = /[^\0-\x7f]/;

/** Unguessable prefix of placeholders that JSON does not escape. */
const MARK = `body-${randomBytes(16).toString("hex")}-`;
const EACH = new RegExp(`${MARK}(?:text|fields)-\\d+-`, "g");

type Filling = () => Steps<string[]>;

/** Placeholders for bodies too long to become JSON in one time slice; the bodies replace them in steps. */
export class Placeholders {
  readonly #fillings = new Map<string, Filling>();
  readonly #slice: number;

  /** @param slice bytes that become JSON in one step: a multiple of 3, and more than 3 */
  constructor(slice = SLICE) {
    this.#slice = slice;
  }

  /** Returns a body of placeholders: one for its text inside JSON, one for its fields in the default record. */
  of(body: LoggedBody): LoggedBody {
    const count = this.#fillings.size;
    const text = `${MARK}text-${count}-`;
    const fields = `${MARK}fields-${count}-`;
    this.#fillings.set(text, () => jsonPieces(body.text, this.#slice));
    this.#fillings.set(fields, () => fieldPieces(body, this.#slice));
    return { ...body, text, fields };
  }

  *filled(record: string): Steps<string> {
    const done: string[] = [];
    let at = 0;
    for (const { 0: standIn, index } of record.matchAll(EACH)) {
      done.push(record.slice(at, index));
      const filling = this.#fillings.get(standIn);
      if (filling !== undefined) for (const piece of yield* filling()) done.push(piece);
      at = index + standIn.length;
    }
    done.push(record.slice(at));
    return done.join("");
  }
}

function* jsonPieces(text: string, slice: number): Steps<string[]> {
  const done: string[] = [];
  for (const piece of slices(text, slice)) {
    const json = JSON.stringify(piece).slice(1, -1);
    done.push(BEYOND_ASCII.test(json) ? validUtf8(json) : json);
    yield;
  }
  return done;
}

function* fieldPieces(body: LoggedBody, slice: number): Steps<string[]> {
  const { text, truncated } = body;
  const shown = truncated ? text.slice(0, endOfCharacters(text)) : text;
  let readable = true;
  for (const piece of slices(shown, slice)) {
    readable &&= isUtf8(Buffer.from(piece, "latin1"));
    yield;
  }
  if (readable) return ['"body":"', ...(yield* jsonPieces(shown, slice)), `"${fieldsBehind(body)}`];
  const done = ['"body":"'];
  for (let at = 0; at < text.length; at += slice) {
    done.push(Buffer.from(text.slice(at, at + slice), "latin1").toString("base64"));
    yield;
  }
  return [...done, `","body_encoding":"base64"${fieldsBehind(body)}`];
}

/**
 * Splits text into slices. None ends inside a UTF-8 character. If four bytes in a row are continuation bytes,
 * the last belongs to no character, and a cut in front of it changes nothing.
 */
function* slices(text: string, slice: number): Generator<string> {
  for (let at = 0; at < text.length; ) {
    let end = Math.min(at + slice, text.length);
    for (let back = 0; back < 4 && end < text.length; back++) {
      if ((text.charCodeAt(end - back) & 0xc0) === 0x80) continue;
      end -= back;
      break;
    }
    yield text.slice(at, end);
    at = end;
  }
}
