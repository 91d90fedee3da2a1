import { describe, expect, it, vi } from "vitest";
import { readClientHello } from "../../../runtime/http/tls/client-hello.js";

const u16 = (value: number) => [value >> 8, value & 255];

/** Makes a hello with these extensions. */
function hello(extensions: number[], { type = 1, session = [] as number[] } = {}): Buffer {
  const body = [3, 3, ...Array(32).fill(7), session.length, ...session, 0, 2, 0x13, 1, 1, 0];
  const all = [...body, ...u16(extensions.length), ...extensions];
  const message = [type, 0, ...u16(all.length), ...all];
  return Buffer.from([22, 3, 1, ...u16(message.length), ...message]);
}

function named(name: string, type = 0): number[] {
  const bytes = [...Buffer.from(name, "latin1")];
  const list = [type, ...u16(bytes.length), ...bytes];
  return [0, 0, ...u16(list.length + 2), ...u16(list.length), ...list];
}

const other = [0, 23, 0, 0, 0, 43, 0, 3, 2, 3, 4];

describe("readClientHello", () => {
  it.each([
    ["a.example", "a.example"],
    ["A.Example.", "a.example"],
    ["a b", undefined],
    ["\u00e4.example", undefined],
    ["", undefined],
    ["a".repeat(255), "a".repeat(255)],
    ["a".repeat(256), undefined],
  ])("readClientHello reads the server name %j", (name, found) => {
    const bytes = hello([...other, ...named(name), ...other], { session: [1, 2, 3] });
    expect(readClientHello(bytes)).toEqual({ serverName: found });
  });

  it("readClientHello returns no server name if there is none or it has another type", () => {
    expect(readClientHello(hello(other))).toEqual({ serverName: undefined });
    expect(readClientHello(hello(named("a", 1)))).toEqual({ serverName: undefined });
  });

  it("readClientHello asks for more until the hello is complete, and reads any size of records", () => {
    const whole = hello(named("a.example"));
    for (let end = 0; end < whole.length; end++) expect(readClientHello(whole.subarray(0, end))).toBe("more");
    const cut = [...whole.subarray(5)].flatMap((byte) => [22, 3, 3, 0, 1, byte]);
    expect(readClientHello(Buffer.from(cut))).toEqual({ serverName: "a.example" });
    expect(readClientHello(Buffer.concat([whole, Buffer.from("more")]))).toEqual({ serverName: "a.example" });
  });

  it.each<[string, Buffer]>([
    ["HTTP", Buffer.from("GET / HTTP/1.1\r\n")],
    ["SSL 2", Buffer.from([0x80, 46, 1, 3, 1])],
    ["another version", Buffer.from([22, 2, 0])],
    ["another message", hello([], { type: 2 })],
    ["an empty record", Buffer.from([22, 3, 1, 0, 0])],
  ])("readClientHello reports %s as foreign", (_, bytes) => {
    expect(readClientHello(bytes)).toBe("foreign");
  });

  it("readClientHello throws for no change of a single byte", () => {
    const whole = hello([...named("a.example"), ...other]);
    for (let at = 0; at < whole.length; at++)
      for (let value = 0; value < 256; value++) {
        const bytes = Buffer.from(whole);
        bytes[at] = value;
        const read = readClientHello(bytes);
        expect(typeof read === "string" || "serverName" in read).toBe(true);
      }
  });

  it("readClientHello copies each byte of the smallest records once", () => {
    const cut = Buffer.from(Array(5_461).fill([22, 3, 1, 0, 1, 1]).flat());
    const concat = vi.spyOn(Buffer, "concat");
    readClientHello(cut);
    const copied = concat.mock.results.reduce((sum, { value }) => sum + (value as Buffer).length, 0);
    concat.mockRestore();
    // Appending each record to all earlier ones would copy 15 MB.
    expect(copied).toBe(5_461);
  });
});
