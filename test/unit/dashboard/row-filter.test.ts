import { describe, expect, it } from "vitest";
import { type Brought, filtered, searchedParts } from "../../../runtime/dashboard/pages/row-filter.js";

type Value = Readonly<Record<string, unknown>>;

const row = (id: string, value: Value, service?: Brought, config?: Brought) => {
  const places = searchedParts(value, service, config);
  const status = value["status"] === 0 ? "disabled" : "enabled";
  const cells = { id, paths: String(value["uri"] ?? ""), plugins: "", status };
  const labels = places.labels.map(([key, text]) => `${key}=${text}`);
  return { id, cells, ...places, words: [id, ...labels, ...places.hosts].join("\n") };
};

const FRONT = { plugins: "syslog, key-auth", hosts: ["shop.example.com"] };
const CUT = { plugins: "response-rewrite", hosts: [] };
const rows = [
  row("prod", { uri: "/p", labels: { env: "prod" }, methods: ["GET", "POST"] }),
  row("production", { uri: "/q", labels: { env: "production", team: "A" }, methods: ["PUT"] }),
  row("served", { uri: "/s", methods: ["PURGE"] }, FRONT),
  row("own-host", { uri: "/o", host: "Own.test", methods: ["GET"] }, FRONT, CUT),
  row("wild", { uri: "/w", hosts: ["*.example.com"], status: 0 }),
];
const found = (query: string) => filtered(rows, query).map(({ id }) => id);

describe("the filter of a list", () => {
  it.each<[string, string[]]>([
    ["label:env=prod", ["prod"]],
    ["label:env:prod", ["prod"]],
    ["label:env", ["prod", "production"]],
    ["label:team", ["production"]],
    ["label:prod", []],
    ["label:constructor", []],
    ["env=prod", ["prod", "production"]],
  ])('the list filter %s matches labels, and "label:" compares the whole text', (query, ids) => {
    expect(found(query)).toEqual(ids);
  });

  it.each<[string, string[]]>([
    ["method:post", ["prod", "wild"]],
    ["method:PUT", ["production", "wild"]],
    ["method:P", ["wild"]],
    ["method:GET host:own", ["own-host"]],
  ])("the list filter %s matches whole methods and routes without methods", (query, ids) => {
    expect(found(query)).toEqual(ids);
  });

  it("the filter method:GET does not match a row without a path", () => {
    expect(filtered([row("front", { hosts: ["shop.example.com"] })], "method:GET")).toEqual([]);
  });

  it.each<[string, string[]]>([
    ["host:shop.example.com", ["served", "wild"]],
    ["host:a.b.example.com", ["wild"]],
    ["host:example.com", ["served", "wild"]],
    ["host:.example.org", []],
    ["host:own.test", ["own-host"]],
    ["shop.example.com", ["served"]],
  ])("the list filter %s matches own hosts, hosts of the service, and wildcards", (query, ids) => {
    expect(found(query)).toEqual(ids);
  });

  it.each<[string, string[]]>([
    ["plugin:key-auth", ["served", "own-host"]],
    ["plugin:rewrite", ["own-host"]],
    ["status:disabled", ["wild"]],
    ["status:en path:/q", ["production"]],
    ["id:prod label:team=a", ["production"]],
    ["other:thing", []],
  ])("the list filter %s matches plugins, status, path, id and labels", (query, ids) => {
    expect(found(query)).toEqual(ids);
  });
});
