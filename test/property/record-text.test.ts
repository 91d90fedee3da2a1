import fc from "fast-check";
import { expect, it } from "vitest";
import type { RecordObject, RecordValue } from "../../runtime/abi/log.js";
import { recordText } from "../../runtime/abi/text/record-text.js";
import { defaultRecordOf } from "../../runtime/logging/default-record.js";
import { finishedExchange } from "../support/finished-exchange.js";
import { runs } from "../support/runs.js";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const shown = (bytes: string) => decoder.decode(Buffer.from(bytes, "latin1"));

/** The value as a reader of its JSON should see it. */
function expected(value: RecordValue): unknown {
  if (typeof value === "string") return shown(value);
  if (typeof value === "number") return Number.isFinite(value) ? value + 0 : null;
  if (Array.isArray(value)) return value.map((one) => expected(one) ?? null);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([, one]) => one !== undefined);
  return Object.fromEntries(members.map(([name, one]) => [shown(name), expected(one)]));
}

function readBack(text: string): unknown {
  const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.from(text, "latin1"));
  expect(text).not.toMatch(/[\r\n]/);
  return JSON.parse(utf8);
}

const anyByte = fc.integer({ min: 0, max: 255 }).map((byte) => String.fromCharCode(byte));
const interesting = fc.constantFrom(
  "\xc3\xa9",
  "\xe2\x82",
  "\xf0\x9f\x98\x80",
  '"',
  "\\",
  "\xff",
  "\xed\xa0\x80",
  "}",
);
const byteString = fc.array(fc.oneof(anyByte, interesting), { maxLength: 12 }).map((parts) => parts.join(""));
const name = byteString.filter((text) => text !== "__proto__");

const { record } = fc.letrec<{ value: RecordValue; record: RecordObject }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    byteString,
    fc.double(),
    fc.boolean(),
    fc.constantFrom(null, undefined, Number.NaN, Number.POSITIVE_INFINITY, -0),
    fc.array(tie("value"), { maxLength: 3 }),
    tie("record"),
  ),
  record: fc.dictionary(name, tie("value"), { maxKeys: 6 }),
}));

it("a record is written as one line of JSON in valid UTF-8 with the same content", () => {
  fc.assert(
    fc.property(record, (one) => {
      expect(readBack(recordText(one))).toEqual(expected(one));
    }),
    { numRuns: runs(2_000) },
  );
});

it("a text with characters above U+00FF gets U+FFFD instead of truncated bytes", () => {
  expect(readBack(recordText({ a: "\u0122\u010a" }))).toEqual({ a: "\ufffd\ufffd" });
});

/** Bytes that may occur in a field value, and in a query. */
const fieldByte = fc.integer({ min: 0x21, max: 0xff }).filter((byte) => byte !== 0x7f);
const fieldValue = fc.array(fieldByte, { maxLength: 8 }).map((bytes) => String.fromCharCode(...bytes));
const fieldName = fc.constantFrom("X-A", "x-a", "X-B", "Accept", "aCCept", "Secret", "sECRET", "x-1!#$");
const queryByte = fc.integer({ min: 0x21, max: 0x7e }).filter((byte) => byte !== 0x23);
const query = fc.array(
  fc.oneof(
    queryByte.map((byte) => String.fromCharCode(byte)),
    fc.constantFrom("&", "=", "&a=", "&secret=", "%C3%A9", "%FF", "%", "+"),
  ),
  { maxLength: 16 },
);

function grouped(entries: readonly (readonly [string, unknown])[]): object {
  const values = new Map<string, unknown[]>();
  for (const [key, value] of entries) values.set(key, [...(values.get(key) ?? []), value]);
  return Object.fromEntries(
    Array.from(values, ([key, all]) => [shown(key), all.length === 1 ? all[0] : all]),
  );
}

const unescaped = (text: string) =>
  text
    .replaceAll("+", " ")
    .replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/** The query, read pair by pair. */
function queryObject(args: string): object {
  const pairs = args.split("&").map((pair): [string, unknown] => {
    const [, left = "", value] = /^([^=]*)(?:=(.*))?$/s.exec(pair) ?? [];
    const key = unescaped(left);
    if (value === undefined) return [key, true];
    return [key, key.toLowerCase() === "secret" ? "***" : shown(unescaped(value))];
  });
  return grouped(pairs.filter(([key]) => key !== ""));
}

it("a default record has the headers and the query of its exchange, for any of them", () => {
  const make = defaultRecordOf({ headers: ["secret"], query: ["secret"] });
  fc.assert(
    fc.property(fc.array(fc.tuple(fieldName, fieldValue), { maxLength: 8 }), query, (fields, parts) => {
      const args = parts.join("");
      const lines = fields.map(([key, value]) => `${key}: ${value}\r\n`).join("");
      const read = readBack(
        make(
          finishedExchange({
            request: `GET /?${args} HTTP/1.1\r\nHost: h\r\n${lines}\r\n`,
            responseFields: fields.filter(([, value]) => value !== ""),
          }),
        ),
      ) as { request: { headers: object; querystring: object }; response: { headers: object } };
      const headerObject = (list: typeof fields) =>
        grouped(
          list.map(([key, value]) => {
            const lower = key.toLowerCase();
            return [lower, lower === "secret" ? "***" : shown(value)];
          }),
        );
      expect(read.request.headers).toEqual(
        headerObject([["host", "h"] as [string, string], ...fields] as typeof fields),
      );
      expect(read.response.headers).toEqual(headerObject(fields.filter(([, value]) => value !== "")));
      expect(read.request.querystring).toEqual(queryObject(args));
    }),
    { numRuns: runs(1_000) },
  );
});
