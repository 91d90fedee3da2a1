import { describe, expect, it } from "vitest";
import { reportRedactor } from "../../../compiler/report/redact-report.js";
import { valuesOf } from "../../../compiler/secrets/secret-values.js";
import { candidatesIn, Spellings } from "../../../runtime/abi/spellings.js";
import { utf8 } from "../../../runtime/abi/text/bytes.js";

const SECRET = 'p@ss"w\\ord é+x';
const of = (secret: string) => new Spellings([secret]);
const escapedForRegex = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

describe("spellings of a secret", () => {
  const json = JSON.stringify(SECRET).slice(1, -1);
  it.each([
    ["as it is", SECRET],
    ["escaped as JSON", json],
    ["escaped as JSON twice", JSON.stringify(json).slice(1, -1)],
    ["with numbers of its characters", "p@ss\\u0022w\\x5cord \\u00e9+x"],
    ["as the bytes of its UTF-8", utf8(SECRET)],
    ["as such bytes, escaped", JSON.stringify(utf8(SECRET)).slice(1, -1)],
    ["percent-encoded whole", encodeURIComponent(SECRET)],
    ["percent-encoded in part", encodeURI(SECRET)],
    ["percent-encoded in lower case", encodeURIComponent(SECRET).toLowerCase()],
    ["percent-encoded twice", encodeURIComponent(encodeURIComponent(SECRET))],
    ["as a form has it", new URLSearchParams([["", SECRET]]).toString().slice(1)],
    ["escaped for a pattern", escapedForRegex(SECRET)],
    ["escaped for a pattern in JSON", JSON.stringify(escapedForRegex(SECRET)).slice(1, -1)],
    ["in lower case", SECRET.toUpperCase().toLowerCase()],
  ])("a secret is found %s", (_, written) => {
    expect(of(SECRET).without(`Basic ${written}; end`, "***")).toBe("Basic ***; end");
    const others = Array.from({ length: 20 }, (_, number) => `other-${number}`);
    expect(candidatesIn([...others, SECRET], ["before", `Basic ${written}; end`])).toEqual([SECRET]);
  });

  it.each([0, 1, 2, 3])("a secret is found in base64 behind %i other bytes", (before) => {
    const bytes = Buffer.from(`${"u".repeat(before)}${SECRET}: and more`);
    expect(of(SECRET).without(bytes.toString("base64"), "***")).toContain("***");
    const shown = Buffer.from(of(SECRET).without(bytes.toString("base64"), "").slice(0, 4), "base64");
    expect(shown.toString()).not.toContain("p@s");
  });

  it("a secret is found without the blanks around it, and cut off by an ellipsis", () => {
    expect(of("\tsecret of two\n").without("[secret of two]", "***")).toBe("[***]");
    expect(of("secret-of-many-characters").without('to "Basic secret-of-ma…"', "***")).toBe(
      'to "Basic ***…"',
    );
    expect(candidatesIn(["secret-of-many-characters", "\tsecret of two\n"], ['to "secr…"'])).toHaveLength(2);
  });

  it("a secret is found if it contains line breaks, tabs or escapes or ends with a backslash", () => {
    for (const secret of ["one\ntwo\tthree", "100%25 of it", "a\\nb\\u0041", "ends with\\"])
      expect(of(secret).without(JSON.stringify({ secret }), "***")).toMatch(/^\{"secret":"\*\*\*\\*"\}$/);
  });

  it("a secret is found in a long text that contains its beginning everywhere", () => {
    expect(of(`${"a".repeat(500)}b`).places(`${"a".repeat(50_000)}b…`)).toEqual([[49_500, 50_001]]);
  });
});

describe("values that are no secrets", () => {
  it("the words of switches, schemes and methods, short strings and small numbers are no secrets", () => {
    const values = ["on", "true", "HTTPS", "post", "abc", "999", "0.5", "-17", "", "4711", "value", "0042"];
    const environment = Object.fromEntries(values.map((value, i) => [`V${i}`, value]));
    expect(valuesOf(Object.keys(environment), environment)).toEqual(["4711", "value", "0042"]);
  });

  it("a secret value is not redacted in ids, locations and paths that a user has written", () => {
    const hide = reportRedactor(["4711"], ["r4711", "/p4711", "4711"]);
    const answer = {
      matched: "r4711",
      candidates: [{ id: "4711", place: "gateway.yaml:4711:9" }],
      takes: ["It takes GET for /p4711 on a.example"],
      phases: [{ when: "4711", sentences: ['Authorization to "Basic 4711"'] }],
      other: "/p4711x x/p47110",
      plan: { place: "4711", "4711": { id: "4711" } },
    };
    expect(hide(answer)).toEqual({
      ...answer,
      phases: [{ when: "4711", sentences: ['Authorization to "Basic ***"'] }],
      other: "/p***x x/p***0",
      plan: { place: "***", "***": { id: "***" } },
    });
  });
});
