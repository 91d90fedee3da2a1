import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseSource } from "../../../compiler/1-parse/parse.js";
import { MAX_SOURCE } from "../../../compiler/model/source.js";

const yaml = (text: string) => parseSource({ name: "a.yaml", text, format: "yaml" });
const json = (text: string) => parseSource({ name: "a.json", text, format: "json" });
const codes = (result: ReturnType<typeof yaml>) => result.diagnostics.map(({ code }) => code);

/** Returns the column of the 65th list or object of a text that repeats `opening`. */
const columnOf = (opening: string) => {
  const each = opening === "[{a: " ? 2 : 1;
  return Math.floor(64 / each) * opening.length + 1;
};

describe("YAML", () => {
  it("YAML spans cover keys, values and list items, and fall back to the nearest existing parent", () => {
    const { document } = yaml("routes:\n  - id: shop\n    plugins: { a: {} }\n");
    const spans = document?.spans;
    expect(spans?.key(["routes", 0, "id"])).toEqual({
      file: "a.yaml",
      start: { line: 2, column: 5 },
      end: { line: 2, column: 7 },
    });
    expect(spans?.value(["routes", 0, "id"]).start).toEqual({ line: 2, column: 9 });
    expect(spans?.key(["routes", 0]).start).toEqual({ line: 2, column: 5 });
    expect(spans?.value(["routes", 0, "plugins", "b", "c"]).start).toEqual({ line: 3, column: 14 });
    expect(spans?.below(["routes", 0]).key(["plugins", "a"]).start).toEqual({ line: 3, column: 16 });
  });

  it("YAML columns are counted in UTF-16 units and lines by LF, also after CR", () => {
    const { document } = yaml('a: 1\r\nb: { "😀": x, c: y }\r\n');
    expect(document?.spans.key(["b", "c"]).start).toEqual({ line: 2, column: 15 });
  });

  it("YAML anchors, aliases and merge keys are resolved, and explicit fields override merged ones", () => {
    const { document } = yaml(
      "a: &a { x: 1, y: 2 }\nb: { <<: *a, y: 3 }\nc: [*a]\nd: { <<: [*a, { z: 4 }] }\n",
    );
    expect(document?.value).toEqual({
      a: { x: 1, y: 2 },
      b: { x: 1, y: 3 },
      c: [{ x: 1, y: 2 }],
      d: { x: 1, y: 2, z: 4 },
    });
    expect(document?.spans.key(["b", "x"]).start).toEqual({ line: 1, column: 9 });
    expect(document?.spans.value(["c", 0]).start).toEqual({ line: 3, column: 5 });
  });

  it("a quoted << and a field named __proto__ are plain fields in YAML", () => {
    const { document } = yaml('"<<": 1\n__proto__: { polluted: true }\n');
    expect(Object.keys(document?.value as object)).toEqual(["<<", "__proto__"]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("YAML parses yes, no, on, off and dates as strings", () => {
    expect(yaml("[yes, no, on, off, 2001-01-01, 0x1f, 1e3, ~]").document?.value).toEqual([
      "yes",
      "no",
      "on",
      "off",
      "2001-01-01",
      31,
      1000,
      null,
    ]);
  });

  it("the value of a YAML text that is empty or has only comments is null", () => {
    expect(yaml("").document?.value).toBeNull();
    expect(yaml("# nothing\n").document?.value).toBeNull();
  });

  it("GW1007 reports a source above the size limit, and neither scans nor parses it", () => {
    for (const parse of [yaml, json])
      for (const text of ["1".repeat(MAX_SOURCE + 1), `{${"\0".repeat(MAX_SOURCE)}`]) {
        const result = parse(text);
        expect(codes(result)).toEqual(["GW1007"]);
        expect(result.document).toBeUndefined();
      }
  });

  it.each(["[", "{", "[{a: ", "- ", "? "])(
    "GW1009 reports a megabyte of %j at the first list or object that nests too deep",
    (opening) => {
      const result = yaml(opening.repeat(1_500_000 / opening.length));
      expect(result.document).toBeUndefined();
      expect(result.diagnostics).toMatchObject([
        { code: "GW1009", span: { start: { line: 1, column: columnOf(opening) } } },
      ]);
    },
  );

  it("the JSON parser reads any JSON value as JSON.parse does, as does the YAML parser if it is ASCII", () => {
    const value = fc.jsonValue({ maxDepth: 5 });
    fc.assert(
      fc.property(value, (sample) => {
        // Larger integers are rejected on purpose.
        fc.pre(!/\d{16}/.test(JSON.stringify(sample)));
        const text = JSON.stringify(sample, null, 1).replace(/[\x7f\u0085\u2028\u2029]/g, "?");
        expect(json(text).document?.value).toEqual(JSON.parse(text));
        if (!/[^ -~\n]/.test(text)) expect(yaml(text).document?.value).toEqual(JSON.parse(text));
      }),
      { numRuns: 200 },
    );
  });
});

describe("JSON", () => {
  it("the JSON parser accepts the texts that JSON.parse accepts, except for duplicate keys", () => {
    const noise = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"a"',
      "1",
      "-0.5e3",
      "01",
      "true",
      "null",
      " ",
      "'",
      "\\",
      "tru",
    );
    fc.assert(
      fc.property(fc.array(noise, { maxLength: 12 }), (parts) => {
        const text = parts.join("");
        let valid = true;
        try {
          JSON.parse(text);
        } catch {
          valid = false;
        }
        const result = json(text);
        if (valid && codes(result).includes("GW1003")) return;
        expect(result.document !== undefined, text).toBe(valid);
        expect(result.diagnostics.length > 0, text).toBe(!valid);
      }),
      { numRuns: 2_000 },
    );
  });

  it("the JSON parser skips a byte order mark", () => {
    expect(json('\ufeff{"a": 1}').document?.value).toEqual({ a: 1 });
  });

  it("the JSON and YAML parsers throw for no text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => {
        json(text);
        yaml(text);
      }),
      { numRuns: 1_000 },
    );
  });
});
