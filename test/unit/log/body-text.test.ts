import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { loggedBody } from "../../../runtime/logging/body-text.js";
import { wholeBody } from "../../support/finished-exchange.js";

const gzipped = gzipSync("text of a body").toString("latin1");

describe("a body that was kept for a log", () => {
  it("is there at once where it has no coding", () => {
    for (const coding of ["", "identity"])
      expect(loggedBody(wholeBody("text", coding), 10)).toEqual({
        text: "text",
        coding: "",
        truncated: false,
        size: 4,
      });
  });

  it("is decoded, and has the size that passed", async () => {
    expect(await loggedBody(wholeBody(gzipped, "gzip"), 1_000)).toEqual({
      text: "text of a body",
      coding: "",
      truncated: false,
      size: gzipped.length,
    });
  });

  it("is marked as cut where its end was not kept, or is too long once decoded", async () => {
    const cut = { text: gzipped.slice(0, 20), coding: "gzip", size: gzipped.length };
    expect(await loggedBody(cut, 1_000)).toMatchObject({ truncated: true });
    expect(await loggedBody(wholeBody(gzipped, "gzip"), 4)).toMatchObject({ text: "text", truncated: true });
  });

  it("stays as it is where it cannot be decoded", async () => {
    for (const coding of ["gzip", "lzma"])
      expect(await loggedBody(wholeBody("\xff\xff", coding), 10)).toEqual({
        text: "\xff\xff",
        coding,
        truncated: false,
        size: 2,
      });
  });

  it("stays as it is while 512 others are being decoded", async () => {
    const all = Array.from({ length: 600 }, () => loggedBody(wholeBody(gzipped, "gzip"), 1_000));
    const found = await Promise.all(all);
    expect(found.filter(({ coding }) => coding === "")).toHaveLength(512);
    expect(await loggedBody(wholeBody(gzipped, "gzip"), 1_000)).toMatchObject({ coding: "" });
  });
});
