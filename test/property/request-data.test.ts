import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeUtf8, utf8 } from "../../runtime/abi/text/bytes.js";
import { RequestData } from "../../runtime/proxy/exchange/request-data.js";
import { runs } from "../support/runs.js";

const bytes = fc
  .array(fc.integer({ min: 0, max: 255 }), { maxLength: 60 })
  .map((codes) => String.fromCharCode(...codes));
const types = fc.constantFrom(
  "application/json",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=X",
  "application/graphql",
  "text/plain",
);
/** Pieces with a meaning for one of the readers. */
const pieces = fc
  .array(
    fc.constantFrom(
      ...[
        "a",
        ".",
        "..",
        "[0]",
        "[*]",
        "['a']",
        "$",
        "=",
        "&",
        "%41",
        "{",
        "}",
        "[",
        "]",
        '"',
        ":",
        ",",
        "1",
      ],
      ...[
        "\r\n",
        "--X",
        "query",
        "...",
        "on ",
        "(",
        ")",
        "@",
        "#",
        '"""',
        "\\",
        "content-disposition: form-data; name=",
      ],
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(""));
const text = fc.oneof(bytes, pieces);

describe("data of a request body", () => {
  it("request data is a byte string or undefined, whatever the body and the path", () => {
    fc.assert(
      fc.property(types, text, text, (type, body, path) => {
        const data = new RequestData(type, body);
        const values = [
          data.formField(path),
          data.value(path),
          ...["name", "operation", "root_fields"].map((part) => data.graphql(part)),
        ];
        for (const value of values) expect(["string", "undefined"]).toContain(typeof value);
        for (const value of values.slice(0, 2)) expect(/^[\0-\xff]*$/.test(value ?? "")).toBe(true);
      }),
      { numRuns: runs(2_000) },
    );
  });

  it("request data has each JSON value at its own path", () => {
    const name = fc
      .string({ minLength: 1, maxLength: 8, unit: "grapheme" })
      .filter((n) => !/[.[\]*$]/.test(n));
    fc.assert(
      fc.property(
        fc.array(name, { minLength: 1, maxLength: 4 }),
        fc.string({ unit: "grapheme" }),
        (names, leaf) => {
          const nested = names.reduceRight<unknown>((value, key) => Object.fromEntries([[key, value]]), leaf);
          const data = new RequestData("application/json", utf8(JSON.stringify(nested)));
          expect(decodeUtf8(data.value(utf8(names.join("."))) ?? "none")).toBe(leaf);
        },
      ),
    );
  });
});
