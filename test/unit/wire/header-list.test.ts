import { describe, expect, it } from "vitest";
import { WireFault } from "../../../runtime/http/fault.js";
import { FieldNames } from "../../../runtime/http/field-names.js";
import { scanFields } from "../../../runtime/http/fields.js";
import { HeaderList } from "../../../runtime/http/header-list.js";
import { fieldsOf } from "../../../runtime/proxy/trace/snapshot.js";

function list(...lines: string[]): HeaderList {
  const text = `${lines.map((line) => `${line}\r\n`).join("")}\r\n`;
  const fields = scanFields(text, 0, 100, false);
  if (fields instanceof WireFault) throw new Error(fields.reason);
  return new HeaderList(text, fields.lines, fields.host);
}

describe("reading", () => {
  const headers = list("Accept: a", "X-One:1", "accept:  b ", "X-Empty:");

  it("a header list joins the lines of a header in order, in any letter case", () => {
    expect(headers.get("ACCEPT")).toBe("a, b");
    expect(headers.getAll("accept")).toEqual(["a", "b"]);
    expect(headers.get("x-one")).toBe("1");
  });

  it("a header list joins cookies by semicolons and lists Set-Cookie lines separately", () => {
    const cookies = list("Cookie: a=1", "Set-Cookie: c=3, d", "cookie: b=2", "set-cookie: e=4");
    expect([cookies.get("cookie"), cookies.getReceived("Cookie")]).toEqual(["a=1; b=2", "a=1; b=2"]);
    expect(cookies.get("set-cookie")).toBe("c=3, d\ne=4");
    expect(cookies.getAllReceived("Set-Cookie")).toEqual(["c=3, d", "e=4"]);
  });

  it("a header list distinguishes an empty header from an absent one", () => {
    expect(headers.get("x-empty")).toBe("");
    expect(headers.has("X-Empty")).toBe(true);
    expect(headers.get("x-two")).toBeUndefined();
    expect(headers.has("x-two")).toBe(false);
    expect(headers.getAll("x-two")).toEqual([]);
  });

  it("a header list keeps the order and spelling of names", () => {
    expect(headers.names()).toEqual(["Accept", "X-One", "accept", "X-Empty"]);
  });

  it("a header list returns Host, but does not write it to the wire", () => {
    const withHost = list("Host: a.example", "A: b");
    expect(withHost.get("host")).toBe("a.example");
    expect(withHost.toWire()).toBe("A: b\r\n");
  });
});

describe("writing", () => {
  it("a header list writes unchanged lines byte for byte", () => {
    expect(list("A:1", "b : 2".replace(" ", ""), "C:\t 3 \t").toWire()).toBe("A:1\r\nb: 2\r\nC:\t 3 \t\r\n");
  });

  it("a header list sets a value at the position of the first line and removes the other lines", () => {
    const headers = list("A: 1", "B: 2", "a: 3", "C: 4");
    headers.set("a", "x");
    expect(headers.toWire()).toBe("a: x\r\nB: 2\r\nC: 4\r\n");
  });

  it("a header list writes one line for each value of a list", () => {
    const headers = list("A: 1", "B: 2", "a: 3");
    headers.set("A", ["x", "", "y"]);
    headers.append("B", ["3", "4"]);
    headers.set("C", []);
    headers.prepend("A", ["v", "w"]);
    expect(fieldsOf(headers)).toEqual([
      ["A", "v,w,x,y"],
      ["B", "2"],
      ["B", "3"],
      ["B", "4"],
    ]);
    headers.prepend("Set-Cookie", ["a=1", "b=2"]);
    headers.prepend("set-cookie", "c=3");
    expect(headers.getAll("Set-Cookie")).toEqual(["c=3", "a=1", "b=2"]);
    headers.set("Set-Cookie", []);
    expect(headers.has("Set-Cookie")).toBe(false);
  });

  it("a header list sets an absent header behind the others, and sets it again in place", () => {
    const headers = list("A: 1");
    headers.set("X-New", "1");
    headers.append("X-Other", "2");
    headers.append("x-new", "3");
    headers.set("x-NEW", "4");
    expect(headers.toWire()).toBe("A: 1\r\nx-NEW: 4\r\nX-Other: 2\r\n");
  });

  it("a header list appends a separate line behind the existing ones", () => {
    const headers = list("Set-Cookie: a", "B: 2");
    headers.append("Set-Cookie", "b");
    expect(headers.getAll("set-cookie")).toEqual(["a", "b"]);
    expect(headers.toWire()).toBe("Set-Cookie: a\r\nB: 2\r\nSet-Cookie: b\r\n");
  });

  it("a header list prepends to one line, with commas without blanks, in the order of the lines", () => {
    const headers = list("Via: a", "B: 2", "via: b");
    headers.prepend("Via", "gw");
    expect(headers.toWire()).toBe("Via: gw,a,b\r\nB: 2\r\n");
    headers.prepend("X-New", "1");
    expect(headers.get("x-new")).toBe("1");
  });

  it("a header list deletes every line of a header, including those that were added", () => {
    const headers = list("A: 1", "B: 2", "a: 3");
    headers.append("A", "4");
    headers.delete("a");
    expect(headers.has("A")).toBe(false);
    expect(headers.toWire()).toBe("B: 2\r\n");
    headers.append("A", "5");
    expect(headers.toWire()).toBe("B: 2\r\nA: 5\r\n");
  });

  it("a header list deletes a header that is set to an empty value, and adds no empty line", () => {
    const headers = list("A: 1", "B: 2");
    headers.set("A", "");
    headers.append("B", "");
    headers.prepend("B", "");
    expect(headers.toWire()).toBe("B: 2\r\n");
  });

  it.each(["Host", "Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive", "TE", "Upgrade"])(
    "a header list does not write %s, which belongs to the wire",
    (name) => {
      const headers = list("A: 1");
      headers.set(name, "x");
      headers.append(name, "x");
      headers.prepend(name, "x");
      expect(headers.toWire()).toBe("A: 1\r\n");
    },
  );

  it("a header list escapes bytes that would end the line", () => {
    const headers = list("A: 1");
    headers.set("B", "x\r\nEvil: 1\0");
    headers.append("C", " padded\t");
    expect(headers.toWire()).toBe("A: 1\r\nB: x%0D%0AEvil: 1%00\r\nC: padded\r\n");
  });

  it("a header list and its copy do not affect each other", () => {
    const original = list("A: 1", "B: 2");
    original.set("A", "x");
    const copy = original.copy();
    copy.delete("A");
    copy.append("C", "3");
    original.append("D", "4");
    expect(copy.toWire()).toBe("B: 2\r\nC: 3\r\n");
    expect(original.toWire()).toBe("A: x\r\nB: 2\r\nD: 4\r\n");
  });

  it("a header list distinguishes written headers from received ones", () => {
    const headers = list("A: 1", "B: 2");
    headers.set("A", "x");
    headers.append("C", "y");
    expect(["a", "b", "c"].map((name) => headers.wasWritten(name))).toEqual([true, false, true]);
  });
});

describe("headers that are set aside", () => {
  const NAMES = new FieldNames(["etag", "last-modified"]);

  it("a header list restores headers at their position, and written ones at the end in their order", () => {
    const headers = list("A: 1", "ETag: x", "Last-Modified: y");
    headers.append("ETag", "one");
    headers.append("ETag", "two");
    headers.set("Last-Modified", "z");
    headers.setAside(NAMES);
    expect(headers.toWire()).toBe("A: 1\r\n");
    headers.restore();
    expect(headers.toWire()).toBe("A: 1\r\nETag: x\r\nLast-Modified: z\r\nETag: one\r\nETag: two\r\n");
  });

  it("a header list does not restore headers that were set or deleted while they were set aside", () => {
    const headers = list("ETag: x", "Last-Modified: y", "A: 1");
    headers.setAside(NAMES);
    headers.set("ETag", "new");
    headers.delete("last-modified");
    headers.restore();
    expect(headers.toWire()).toBe("A: 1\r\nETag: new\r\n");
  });
});
