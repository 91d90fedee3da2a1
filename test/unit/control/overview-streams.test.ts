import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import type { KeyIdentity } from "../../../runtime/control/admin/authentication.js";
import { OverviewStreams } from "../../../runtime/control/admin/overview.js";
import type { LastSecond } from "../../../runtime/control/overview/last-hour.js";

const LAST = { at: 1, requests: 2 } as LastSecond;

/** Part of a response that a stream uses, for a client that reads nothing. */
class Unread {
  written = "";
  destroyed = false;
  writableEnded = false;
  get writableLength(): number {
    return this.written.length;
  }
  writeHead(): void {}
  #closing: () => void = () => {};
  once(_event: string, closing: () => void): void {
    this.#closing = closing;
  }
  close(): void {
    this.#closing();
  }
  write(text: string): void {
    this.written += text;
  }
  end(): void {
    this.writableEnded = true;
  }
  destroy(): void {
    this.destroyed = true;
  }
}

function harness(state: () => Promise<never> | Promise<object> = async () => ({ attention: [] })) {
  const seconds = new Set<(last: LastSecond) => void>();
  const streams = new OverviewStreams({
    ...{ seconds, state: state as never },
    stretch: (asked) => ({ asked }) as never,
    lastOf: ({ id }) => ({ of: id }) as never,
  });
  const open = (
    key?: KeyIdentity,
    address = "127.0.0.1",
    gone: () => "key" | "address" | undefined = () => undefined,
    query = "",
  ) => {
    const response = new Unread();
    const viewer = { key, address, gone };
    return {
      response,
      refused: streams.serve(response as unknown as ServerResponse, {}, viewer, new URLSearchParams(query)),
    };
  };
  const serve = (gone?: () => "key" | "address" | undefined) => open(undefined, undefined, gone).response;
  const second = () => {
    for (const tell of seconds) tell(LAST);
  };
  return { streams, open, serve, second };
}

describe("a stream of the overview", () => {
  it("an overview stream sends the requested period at once and every 5 s, and the seconds of one route", () => {
    const { open, second } = harness();
    const { response, refused } = open(
      undefined,
      "127.0.0.1",
      () => undefined,
      "seconds=3600&of=routes/a%2Fb",
    );
    expect(refused).toBeUndefined();
    for (let i = 0; i < 5; i += 1) second();
    const stretch = 'event: stretch\ndata: {"asked":{"seconds":3600,"of":{"kind":"routes","id":"a/b"}}}\n\n';
    expect(response.written.split(stretch)).toHaveLength(3);
    expect(response.written).toContain('event: second\ndata: {"at":1,"of":"a/b"}\n\n');
  });

  it.each(["seconds=5", "of=shop", "of=services/shop"])("an overview stream is rejected with %s", (query) => {
    const { open } = harness();
    expect(open(undefined, "127.0.0.1", () => undefined, query).refused).toMatchObject({ status: 400 });
  });

  it("an overview stream is cut when its client leaves too much unread, and not before", () => {
    const { serve, second } = harness();
    const response = serve();
    for (let i = 0; i < 100; i += 1) second();
    expect(response.destroyed).toBe(false);
    for (let i = 0; i < 10_000; i += 1) second();
    expect(response.destroyed).toBe(true);
    expect(response.written.length).toBeLessThan(300_000);
  });

  it.each(["key", "address"] as const)(
    "an overview stream ends with a reason when its %s is no longer allowed",
    (what) => {
      const { serve, second } = harness();
      let gone: "key" | "address" | undefined;
      const response = serve(() => gone);
      second();
      expect(response.writableEnded).toBe(false);
      gone = what;
      second();
      expect(response.written.endsWith(`event: end\ndata: {"reason":"${what}"}\n\n`)).toBe(true);
      expect(response.writableEnded).toBe(true);
    },
  );

  it("an overview stream continues if the current state cannot be read", async () => {
    const { serve, second } = harness(async () => {
      throw new Error("no worker answers");
    });
    const response = serve();
    await new Promise((resolve) => setImmediate(resolve));
    second();
    expect(response.written).toContain("event: second");
    expect(response.destroyed).toBe(false);
  });

  it("an overview stream is rejected when the gateway stops", () => {
    const { streams, open } = harness();
    streams.close();
    expect(open().refused).toMatchObject({ status: 503 });
  });

  it("a key, or an address without a key, can open eight overview streams at a time", () => {
    const { open } = harness();
    const of = (name: string, address: string) =>
      open(name === "" ? undefined : { name, role: "viewer" }, address);
    for (const [name, word] of [
      ["a", "key"],
      ["", "address"],
    ] as const) {
      const first = of(name, "10.0.0.1").response;
      for (let i = 0; i < 7; i += 1)
        expect(of(name, `10.0.0.${name === "" ? 1 : i}`).refused).toBeUndefined();
      expect(of(name, "10.0.0.1").refused).toMatchObject({
        status: 503,
        body: { error_msg: `8 streams of this ${word} are open already` },
      });
      first.close();
      expect(of(name, "10.0.0.1").refused).toBeUndefined();
    }
    expect(of("b", "10.0.0.1").refused).toBeUndefined();
    expect(of("", "10.0.0.2").refused).toBeUndefined();
  });

  it("an admin can open four overview streams when viewers have all others", () => {
    const { open } = harness();
    const opened = (role: "viewer" | "admin", names: number) =>
      Array.from({ length: 8 * names }, (_, i) => open({ name: `${role}${i >> 3}`, role }).refused).filter(
        (refused) => refused === undefined,
      ).length;
    expect(opened("viewer", 5)).toBe(28);
    expect(opened("admin", 1)).toBe(4);
  });
});
