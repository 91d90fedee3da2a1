import { afterAll, describe, expect, it } from "vitest";
import { filter } from "../../../runtime/abi/text/filter.js";
import { FilterThread } from "../../../runtime/proxy/host/filter-thread.js";
import { GET, proxyTo } from "./gateway.js";

/** V8 saves a backtracking position for each round. */
const DEEP = { pattern: /^(?:\w+;)*c/, replacement: "x" };
const ROUNDS = "abc;".repeat(4_000_000);
const REASON = expect.stringContaining("needs more stack");

const thread = new FilterThread(
  undefined,
  new URL("../../../.build/runtime/proxy/host/filter-work.js", import.meta.url),
);
afterAll(() => thread.close());

describe("a filter that fails", () => {
  it("the filter thread returns the limit that a filter exceeded", async () => {
    const filters = [{ rules: [DEEP], maxBytes: ROUNDS.length, oversize: "refuse" as const }];
    expect(await thread.run(filters, [Buffer.from(ROUNDS)])).toEqual(REASON);
    expect(
      await thread.run(
        [{ ...filters[0], rules: [DEEP], maxBytes: 1, oversize: "refuse" }],
        [Buffer.from("abc")],
      ),
    ).toBe("a filter made the body too large");
  });

  it.each([
    ["stack of the engine", () => filter([DEEP]).apply(ROUNDS), REASON],
    ["limit of strings", () => "a".repeat(2 ** 30), "a filter made the body too large"],
    [
      "error of its own",
      () => {
        throw new TypeError("no such rule");
      },
      "a filter failed: no such rule",
    ],
  ])("a failing filter leads to a 502 and an event that names the %s", async (_, apply, reason) => {
    const gateway = await proxyTo(() => ({ writes: ["HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nabc;"] }), {
      module: {
        headerFilter: (x) =>
          x.response.filterBody({ ...filter([DEEP]), apply: (text) => (text === "abc;" ? apply() : text) }),
      },
    });
    const client = await gateway.client();
    await client.send(GET);
    expect((await client.response("GET")).status).toBe(502);
    expect(gateway.events).toEqual([expect.objectContaining({ event: "body_not_filtered", reason })]);
  });
});
