import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FormFieldResult } from "../../../../plugins/captcha/runtime/form-field-result.js";
import { MultipartScanner } from "../../../../plugins/captcha/runtime/multipart.js";

const BOUNDARY = "----b";
const FIELD = "captcha-token";
const bytes = (text: string) => Buffer.from(text, "latin1");

/** Result of the scanner when the body arrives up to each of these lengths. */
function scanned(
  body: Buffer,
  lengths: readonly number[],
  field = FIELD,
): { found: FormFieldResult; needed: number } {
  const scanner = new MultipartScanner(BOUNDARY, field);
  for (const length of [...lengths, body.length]) {
    const found = scanner.look(body.subarray(0, length), false);
    if (found !== undefined) return { found, needed: length };
  }
  const found = scanner.look(body, true);
  if (found === undefined) throw new Error("nothing was decided at the end");
  return { found, needed: body.length };
}

const whole = (body: string, field?: string) => scanned(bytes(body), [], field).found;

function without(body: string, found: FormFieldResult): string {
  if (found.kind === "unreadable") throw new Error("nothing to cut");
  let rest = "";
  let from = 0;
  for (const { start, end } of found.cuts) {
    rest += body.slice(from, start);
    from = end;
  }
  return rest + body.slice(from);
}

const part = (header: string, content: string) => `--${BOUNDARY}\r\n${header}\r\n\r\n${content}\r\n`;
const field = (name: string, content: string) =>
  part(`Content-Disposition: form-data; name="${name}"`, content);
const END = `--${BOUNDARY}--\r\n`;

describe("a token in a multipart form", () => {
  it.each([
    ["first", "", `${field("a", "1")}${END}`],
    ["in the middle", field("a", "1"), `${field("b", "2")}${END}`],
    ["last", field("a", "1"), END],
    ["alone", "", END],
    ["behind a preamble", `preamble\r\n${field("a", "1")}`, END],
    ["behind a file with lookalikes", field("a", `\r\n--${BOUNDARY}x\r\n--${BOUNDARY.slice(1)}`), END],
  ])("the token of a multipart form is found and cut out: %s", (_, before, after) => {
    const body = `${before}${field(FIELD, "aa.bb.cc")}${after}`;
    const found = whole(body);
    expect(found).toMatchObject({ kind: "token", token: "aa.bb.cc" });
    expect(without(body, found)).toBe(before + after);
  });

  it.each([
    ["a name without quotes", `Content-Disposition: form-data; name=${FIELD}`],
    ["other case and blanks", `content-disposition:form-data ;  NAME="${FIELD}"`],
    [
      "more header fields",
      `X-A: 1\r\nContent-Disposition: form-data; name="${FIELD}"\r\nContent-Type: text/plain`,
    ],
    ["a folded line", `Content-Disposition: form-data;\r\n name="${FIELD}"`],
    ["an escaped name", `Content-Disposition: form-data; name="captcha\\-token"`],
  ])("a token is found in a part with %s", (_, header) => {
    expect(whole(`${part(header, "aa.bb.cc")}${END}`)).toMatchObject({ kind: "token", token: "aa.bb.cc" });
  });

  it.each([
    ["a file of that name", `Content-Disposition: form-data; name="${FIELD}"; filename="x"`],
    ["a file with an encoded name", `Content-Disposition: form-data; name="${FIELD}"; filename*=UTF-8''x`],
    ["another name", `Content-Disposition: form-data; name="${FIELD}2"`],
    ["the name in other case", `Content-Disposition: form-data; name="CAPTCHA-token"`],
    ["a name within a value", `Content-Disposition: form-data; x="; name=${FIELD}"`],
    ["another disposition", `Content-Disposition: attachment; name="${FIELD}"`],
    ["no header", ""],
  ])("a token is not found in a part with %s", (_, header) => {
    expect(whole(`${part(header, "aa.bb.cc")}${END}`)).toEqual({ kind: "none", cuts: [] });
  });

  it("an empty part is no token and is cut out", () => {
    const body = `${field(FIELD, "")}${field("a", "1")}${END}`;
    const found = whole(body);
    expect(found.kind).toBe("none");
    expect(without(body, found)).toBe(`${field("a", "1")}${END}`);
  });

  it("the second widget's token counts when the first one's part is empty, and both parts are cut out", () => {
    const body = `${field(FIELD, "")}${field("a", "1")}${field(FIELD, "aa.bb.cc")}${END}`;
    const found = whole(body);
    expect(found).toMatchObject({ kind: "token", token: "aa.bb.cc" });
    expect(without(body, found)).toBe(`${field("a", "1")}${END}`);
  });

  it("the limit behind an empty part means no token", () => {
    const scanner = new MultipartScanner(BOUNDARY, FIELD);
    const body = bytes(`${field(FIELD, "")}${field("a", "x".repeat(1_000))}`);
    expect(scanner.look(body, false)).toBeUndefined();
    expect(scanner.cutShort()).toMatchObject({ kind: "none", cuts: [{ start: 0 }] });
    expect(new MultipartScanner(BOUNDARY, FIELD).cutShort()).toBeUndefined();
  });

  it("the first of two tokens counts", () => {
    expect(whole(`${field(FIELD, "first")}${field(FIELD, "second")}${END}`)).toMatchObject({
      token: "first",
    });
  });

  it("a body that ends inside of a part has no token", () => {
    expect(whole(field(FIELD, "aa.bb.cc"))).toEqual({ kind: "none", cuts: [] });
    expect(whole("")).toEqual({ kind: "none", cuts: [] });
    expect(whole(`--${BOUNDARY}`)).toEqual({ kind: "none", cuts: [] });
  });

  it("a token is found without the bytes behind its part", () => {
    const before = `${field("a", "1")}${field(FIELD, "aa.bb.cc")}--${BOUNDARY}\r\n`;
    const body = bytes(`${before}${"x".repeat(10_000)}`);
    const lengths = Array.from({ length: body.length }, (_, i) => i + 1);
    expect(scanned(body, lengths).needed).toBe(before.length);
  });

  it("a form is unreadable if its token part is too long or a header exceeds 8 kB", () => {
    const longToken = `${field(FIELD, "x".repeat(5_000))}${END}`;
    const longHeader = `--${BOUNDARY}\r\nX: ${"x".repeat(9_000)}\r\n\r\n${END}`;
    for (const step of [1, 100, 100_000]) {
      const at = (body: string) => Array.from({ length: Math.ceil(body.length / step) }, (_, i) => i * step);
      expect(scanned(bytes(longToken), at(longToken)).found).toMatchObject({ reason: "not_a_text" });
      expect(scanned(bytes(longHeader), at(longHeader)).found).toMatchObject({ reason: "malformed_body" });
    }
  });
});

/** Bodies that are forms, or nearly: pieces of the grammar in any order. */
const pieces = fc.constantFrom(
  ...["\r\n", "\r", "\n", "--", "-", " ", "\t", `--${BOUNDARY}`, `--${BOUNDARY}--`, `--${BOUNDARY}\r\n`],
  ...[`\r\n--${BOUNDARY}\r\n`, `\r\n--${BOUNDARY}`, "\r\n\r\n", "aa.bb.cc", "x".repeat(2_060), "\0\xff"],
  ...[`Content-Disposition: form-data; name="${FIELD}"`, `Content-Disposition: form-data; name="a"`],
  ...[field(FIELD, "aa.bb.cc"), field("a", "1"), field(FIELD, ""), END],
);
const bodies = fc.array(pieces, { maxLength: 14 }).map((all) => bytes(all.join("")));

describe("scanning in pieces", () => {
  it("the scanner has the same result however the bytes arrive", () => {
    fc.assert(
      fc.property(bodies, fc.array(fc.nat(), { maxLength: 30 }), (body, cuts) => {
        const lengths = cuts.map((cut) => cut % (body.length + 1)).sort((a, b) => a - b);
        expect(scanned(body, lengths).found).toEqual(scanned(body, []).found);
      }),
      { numRuns: 3_000 },
    );
  });

  it("the scanner has the same result byte by byte", () => {
    fc.assert(
      fc.property(bodies, (body) => {
        const lengths = Array.from({ length: body.length + 1 }, (_, i) => i);
        expect(scanned(body, lengths).found).toEqual(scanned(body, []).found);
      }),
      { numRuns: 300 },
    );
  });

  it("the cuts leave a form with all other parts", () => {
    const fields = fc.array(
      fc.tuple(fc.constantFrom("a", "b", FIELD), fc.stringMatching(/^[a-z.\r\n-]{0,9}$/)),
      {
        maxLength: 6,
      },
    );
    fc.assert(
      fc.property(fields, (all) => {
        const isSafe = all.every(([, content]) => !content.includes("--"));
        fc.pre(isSafe);
        const body = all.map(([name, content]) => field(name, content)).join("") + END;
        const found = whole(body);
        const token = all.findIndex(([name, content]) => name === FIELD && content !== "");
        const isLeft = ([name]: readonly string[], i: number) => name !== FIELD || (token >= 0 && i > token);
        const rest = all.filter(isLeft).map(([name, content]) => field(name, content));
        expect(without(body, found)).toBe(rest.join("") + END);
      }),
    );
  });
});
