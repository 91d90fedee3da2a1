import { isDeepStrictEqual } from "node:util";
import type { Path } from "../../compiler/model/source.js";
import {
  type Bytes,
  byteString,
  type Expected,
  type ExpectedMessage,
  fieldsOf,
  type InterimSpec,
  type Observed,
  type ObservedInterim,
} from "../../runtime/control/in-process/exchange-spec.js";
import { type Fields, fieldValues } from "../../runtime/control/in-process/wire-message.js";
import { logDifferences, type Mismatch } from "./log-differences.js";

export function mismatches(expected: Expected, seen: Observed): Mismatch[] {
  const { route, log } = expected;
  const found: Mismatch[] = [];
  if (route !== undefined && route !== (seen.route ?? false))
    found.push({ path: ["route"], what: "route", expected: route, actual: seen.route ?? false });
  found.push(...inUpstreamRequest(expected, seen), ...inResponse(expected, seen));
  if (log !== undefined && seen.logs !== undefined) found.push(...logDifferences(log, seen.logs));
  return found;
}

function inUpstreamRequest({ upstream_request: wanted }: Expected, seen: Observed): Mismatch[] {
  const path: Path = ["upstream_request"];
  const got = seen.upstreamRequest;
  if (wanted === undefined) return [];
  if (wanted === false) {
    if (got === undefined) return [];
    const actual = shownText(`${got.method} ${got.target}`);
    return [{ path, what: "call of the upstream", expected: false, actual }];
  }
  if (got === undefined) {
    const actual = `none: the client got ${seen.response.status}`;
    return [{ path, what: "call of the upstream", expected: "a request", actual }];
  }
  const what = "the upstream request";
  return [
    ...different([...path, "method"], `method of ${what}`, wanted.method, got.method),
    ...differentBytes([...path, "target"], `target of ${what}`, wanted.target, got.target),
    ...inMessage(path, what, wanted, got),
  ];
}

function inResponse({ response: wanted }: Expected, { response: got }: Observed): Mismatch[] {
  if (wanted === undefined) return [];
  const path: Path = ["response"];
  const what = "the response";
  return [
    ...different([...path, "status"], `status of ${what}`, wanted.status, got.status),
    ...(hasLength(wanted.length, got.length)
      ? []
      : [
          {
            path: [...path, "length"],
            what: `Content-Length of ${what}`,
            expected: wanted.length,
            actual: got.length,
          },
        ]),
    ...inMessage(path, what, wanted, got),
    ...inInterim([...path, "interim"], wanted.interim, got.interim),
  ];
}

/** Reports whether a Content-Length is as expected; `true`: present with any value, `false`: absent. */
function hasLength(wanted: number | boolean | undefined, got: number | undefined): boolean {
  if (wanted === undefined) return true;
  if (wanted === true) return got !== undefined;
  return got === (wanted === false ? undefined : wanted);
}

function inInterim(
  path: Path,
  wanted: readonly InterimSpec[] | undefined,
  got: readonly ObservedInterim[],
): Mismatch[] {
  if (wanted === undefined) return [];
  const shown = (status: number, fields: Fields) => [String(status), ...lines(fields)].join("; ");
  const expected = wanted.map(({ status, headers }) => shown(status, fieldsOf(headers)));
  const actual = got.map(({ status, headers }) => shown(status, headers));
  return isSameList(expected, actual)
    ? []
    : [{ path, what: "interim responses", ...values(expected, actual) }];
}

const lines = (fields: Fields) => fields.map(([name, value]) => `${name}: ${value}`);

function inTrailers(path: Path, what: string, wanted: string[] | undefined, got: Fields): Mismatch[] {
  if (wanted === undefined) return [];
  const [expected, actual] = [lines(fieldsOf(wanted)), lines(got)];
  return isSameList(expected, actual) ? [] : [{ path, what, ...values(expected, actual) }];
}

function inMessage(
  path: Path,
  what: string,
  { headers = {}, absent = [], spelled, body, trailers }: ExpectedMessage,
  got: { headers: Fields; body: string; trailers: Fields },
): Mismatch[] {
  const fields = Object.entries(headers).flatMap(([name, value]) => {
    const actual = fieldValues(got.headers, name);
    if (isSameList([value].flat().map(byteString), actual)) return [];
    return [{ path: [...path, "headers", name], what: `${name} of ${what}`, ...values(value, actual) }];
  });
  const present = absent.flatMap((name, i) => {
    const actual = fieldValues(got.headers, name);
    if (actual.length === 0) return [];
    return [{ path: [...path, "absent", i], what: `${name} of ${what}`, ...values([], actual) }];
  });
  return [
    ...fields,
    ...present,
    ...inSpelling(path, what, spelled, got.headers),
    ...inBody(),
    ...inTrailers([...path, "trailers"], `trailers of ${what}`, trailers, got.trailers),
  ];

  function inBody(): Mismatch[] {
    return body === undefined ? [] : differentBytes([...path, "body"], `body of ${what}`, body, got.body);
  }
}

/** Names of the headers in their order and spelling. */
function inSpelling(path: Path, what: string, spelled: string[] | undefined, headers: Fields): Mismatch[] {
  if (spelled === undefined) return [];
  const among = spelled.map((name) => name.toLowerCase());
  const names = headers.map(([name]) => name).filter((name) => among.includes(name.toLowerCase()));
  if (isSameList(spelled, names)) return [];
  return [{ path: [...path, "spelled"], what: `names of ${what}`, expected: spelled, actual: names }];
}

/** A single value alone, several as a list, none as undefined. */
function values(expected: string | string[], actual: readonly string[]) {
  const listed = (list: readonly unknown[]) => (list.length < 2 ? list[0] : list);
  return { expected: listed([expected].flat()), actual: listed(actual.map(shownText)) };
}

function different(path: Path, what: string, expected: unknown, actual: unknown): Mismatch[] {
  return expected === undefined || expected === actual ? [] : [{ path, what, expected, actual }];
}

function differentBytes(path: Path, what: string, expected: Bytes | undefined, actual: string): Mismatch[] {
  if (expected === undefined || byteString(expected) === actual) return [];
  if (typeof expected === "object" && "json" in expected)
    return differentJson(path, what, expected.json, shownText(actual));
  return [{ path, what, expected: shownText(byteString(expected)), actual: shownText(actual) }];
}

/** Compares JSON by value, in any spelling; both texts are shown in one spelling with one member on a line. */
function differentJson(path: Path, what: string, expected: unknown, actual: unknown): Mismatch[] {
  const spelled = (value: unknown) => JSON.stringify(value, null, 2);
  let parsed: unknown;
  try {
    parsed = JSON.parse(String(actual));
  } catch {
    return [{ path, what, expected: spelled(expected), actual }];
  }
  if (isDeepStrictEqual(parsed, expected)) return [];
  return [{ path, what, expected: spelled(expected), actual: spelled(parsed) }];
}

const isSameList = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((one, i) => one === b[i]);

/** The text that a byte string encodes, or its hexadecimal digits if it is not valid text. */
export function shownText(bytes: string): string | { hex: string } {
  const buffer = Buffer.from(bytes, "latin1");
  const text = buffer.toString("utf8");
  return Buffer.from(text, "utf8").equals(buffer) ? text : { hex: buffer.toString("hex") };
}
