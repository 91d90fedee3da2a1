import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { loggedBody } from "../../../runtime/logging/body-text.js";
import { wholeBody } from "../../support/finished-exchange.js";

const gzipped = gzipSync("text of a body").toString("latin1");

describe("a captured body for a log", () => {
  it("a captured body without a coding is returned synchronously", () => {
    for (const coding of ["", "identity"])
      expect(loggedBody(wholeBody("text", coding), 10)).toEqual({
        text: "text",
        coding: "",
        truncated: false,
        size: 4,
      });
  });

  it("a captured body is decoded, and its size is that of the encoded body", async () => {
    expect(await loggedBody(wholeBody(gzipped, "gzip"), 1_000)).toEqual({
      text: "text of a body",
      coding: "",
      truncated: false,
      size: gzipped.length,
    });
  });

  it("a captured body is marked as truncated if its end is missing or its text is too long", async () => {
    const cut = { text: gzipped.slice(0, 20), coding: "gzip", size: gzipped.length };
    expect(await loggedBody(cut, 1_000)).toMatchObject({ truncated: true });
    expect(await loggedBody(wholeBody(gzipped, "gzip"), 4)).toMatchObject({ text: "text", truncated: true });
  });

  it("a captured body stays encoded if it cannot be decoded", async () => {
    for (const coding of ["gzip", "lzma"])
      expect(await loggedBody(wholeBody("\xff\xff", coding), 10)).toEqual({
        text: "\xff\xff",
        coding,
        truncated: false,
        size: 2,
      });
  });

  it("a captured body stays encoded while 512 others are being decoded", async () => {
    const all = Array.from({ length: 600 }, () => loggedBody(wholeBody(gzipped, "gzip"), 1_000));
    const found = await Promise.all(all);
    expect(found.filter(({ coding }) => coding === "")).toHaveLength(512);
    expect(await loggedBody(wholeBody(gzipped, "gzip"), 1_000)).toMatchObject({ coding: "" });
  });
});
