import { describe, expect, it } from "vitest";
import { BodyCapture } from "../../../runtime/proxy/exchange/body-capture.js";

const LIMIT = 1_000;
const budget = () => ({ bufferedBytes: 0, limits: { bufferedBodyBytes: LIMIT } });
const bytes = (text: string) => Buffer.from(text, "latin1");

describe("a captured body", () => {
  it("a captured body is undefined for an owner that did not request it", () => {
    expect(new BodyCapture(undefined).of({})).toBeUndefined();
  });

  it("a captured body is empty, not absent, when no body came", () => {
    const capture = new BodyCapture(undefined);
    const owner = {};
    capture.want(owner, 10);
    expect(capture.of(owner)).toEqual({ text: "", coding: "", size: 0 });
  });

  it.each([
    ["buffers", (c: BodyCapture, text: string) => c.add(bytes(`<${text}>`), 1, 1 + text.length)],
    ["texts", (c: BodyCapture, text: string) => c.addText(text)],
  ])("a captured body has the first bytes for each owner and the size of the whole: %s", (_, give) => {
    const capture = new BodyCapture(undefined);
    const [few, more, all] = [{}, {}, {}];
    capture.want(few, 4);
    capture.want(more, 9);
    capture.want(all, 100);
    for (const piece of ["abc", "", "\xff\x00", "defgh", "ij"]) give(capture, piece);
    const whole = "abc\xff\x00defghij";
    expect(capture.of(few)).toEqual({ text: whole.slice(0, 4), coding: "", size: 12 });
    expect(capture.of(more)).toEqual({ text: whole.slice(0, 9), coding: "", size: 12 });
    expect(capture.of(all)).toEqual({ text: whole, coding: "", size: 12 });
  });

  it("a captured body does not depend on the form and the size of its pieces", () => {
    const body = "0123456789".repeat(1_000);
    for (const step of [1, 7, 4_095, 4_096, 4_097, 10_000]) {
      const capture = new BodyCapture(undefined);
      const owner = {};
      capture.want(owner, 9_999);
      for (let at = 0; at < body.length; at += step) {
        const piece = body.slice(at, at + step);
        if ((at / step) % 2 === 0) capture.addText(piece);
        else capture.add(bytes(piece), 0, piece.length);
      }
      const kept = capture.of(owner);
      expect(kept?.text === body.slice(0, 9_999), `pieces of ${step}`).toBe(true);
      expect(kept?.size).toBe(10_000);
    }
  });

  it("a capture starts again for a body that replaces the first", () => {
    const capture = new BodyCapture(undefined);
    const owner = {};
    capture.want(owner, 100);
    capture.addText("old");
    capture.restart();
    capture.addText("new one");
    expect(capture.of(owner)).toEqual({ text: "new one", coding: "", size: 7 });
  });
});

describe("the body budget of a process for logs", () => {
  it("the body budget counts captured bytes and gets them back at their release", () => {
    const shared = budget();
    const capture = new BodyCapture(shared);
    capture.want({}, 5);
    capture.addText("abc");
    capture.addText("def");
    expect(shared.bufferedBytes).toBe(5);
    capture.release();
    expect(shared.bufferedBytes).toBe(0);
    capture.release();
    expect(shared.bufferedBytes).toBe(0);
  });

  it("the body budget does not count bytes that arrive after the release", () => {
    const shared = budget();
    const capture = new BodyCapture(shared);
    capture.want({}, 100);
    capture.release();
    capture.addText("late");
    capture.add(bytes("later"), 0, 5);
    expect(shared.bufferedBytes).toBe(0);
  });

  it("a captured body is cut without a gap when half of the budget is used up, and its size still counts", () => {
    const shared = budget();
    const capture = new BodyCapture(shared);
    const owner = {};
    capture.want(owner, 10_000);
    shared.bufferedBytes = LIMIT / 2 - 4;
    capture.addText("abcdef");
    shared.bufferedBytes = 4;
    capture.addText("ghi");
    expect(capture.of(owner)).toEqual({ text: "abcd", coding: "", size: 9 });
  });
});
