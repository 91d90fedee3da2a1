import { describe, expect, it } from "vitest";
import {
  elasticsearch,
  elasticsearchEntries,
} from "../../../plugins/http-logger/runtime/formats/elasticsearch.js";
import { indexNames } from "../../../plugins/http-logger/runtime/formats/index-names.js";
import { finishedExchange } from "../../support/finished-exchange.js";
import { bytes } from "../../support/sender-context.js";

const NOON = Date.UTC(2026, 10, 5, 12, 59, 59, 999);

describe("names of indexes", () => {
  it("an index name has the time of its record in UTC, and changes with it", () => {
    const name = indexNames({ index: "logs-%Y.%m.%d-%H" });
    expect(name(NOON)).toBe("logs-2026.11.05-12");
    expect(name(NOON + 1)).toBe("logs-2026.11.05-13");
    expect(name(Date.UTC(2027, 0, 1))).toBe("logs-2027.01.01-00");
  });

  it.each([
    ["logs-Shop.Example.com:8443-%d", "logs-shop.example.com_8443-05"],
    ["logs-mdHY %x", "logs-mdhy__x"],
    [bytes("logs-größe"), "logs-gr____e"],
    ["_-.hidden", "hidden"],
    ["..", "other"],
    [`a${"b".repeat(300)}`, `a${"b".repeat(254)}`],
  ])("an index name is valid whatever a variable contains: %j", (text, name) => {
    expect(indexNames({ index: "x", maxIndexes: 9 })(NOON, text)).toBe(name);
  });

  it("maxIndexes limits names apart from their dates, and further ones share the other name", () => {
    const name = indexNames({ index: "l-$host-%d", other: "l-other-%d", maxIndexes: 2 });
    const names = (now: number) =>
      ["l-a-%d", "l-b-%d", "l-c-%d", "l-d-%d", "l-a-%d"].map((text) => name(now, text));
    expect(names(NOON)).toEqual(["l-a-05", "l-b-05", "l-other-05", "l-other-05", "l-a-05"]);
    expect(names(NOON + 86_400_000)).toEqual(["l-a-06", "l-b-06", "l-other-06", "l-other-06", "l-a-06"]);
    expect(name(NOON, undefined)).toBe("l-other-05");
  });
});

describe("requests to an index for each record", () => {
  it("a request names the index of its entry", () => {
    const make = elasticsearchEntries({ index: "l-$host", other: "l-other", maxIndexes: 1 }, () => "l-shop");
    const entry = make(finishedExchange(), '{"a":1}');
    expect(entry.key).toBe("l-shop");
    const [action = ""] = elasticsearch("l-$host").body([entry]).split("\n");
    expect(JSON.parse(action)).toEqual({ create: { _index: "l-shop" } });
  });

  it("an entry has no index key when the name is the same for all", () => {
    const entry = elasticsearchEntries({ index: "logs" }, undefined)(finishedExchange(), "{}");
    expect(entry.key).toBeUndefined();
    expect(elasticsearch("logs").body([entry])).toMatch(/^\{"create":\{"_index":"logs"\}\}\n/);
  });
});
