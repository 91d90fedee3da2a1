import { expect, it } from "vitest";
import { Inventory } from "../../../compiler/3-resolve/inventory.js";
import type { Resource } from "../../../compiler/model/resource.js";
import { runningNames } from "../../../compiler/secrets/running-names.js";
import "../../../plugins/index.js";

const service = (id: string, header?: string): Resource =>
  ({ kind: "services", id, value: header ? { plugins: { "key-auth": { header } } } : {} }) as Resource;

it("the names in use after each change equal those of a scan of all resources", () => {
  const inventory = new Inventory([service("a", "X-A"), service("b", "X-B")]);
  const names = () => [...runningNames(inventory)].sort();
  expect(names()).toEqual(["X-A", "X-B", "apikey"]);
  inventory.put(service("c", "X-A"));
  inventory.put(service("b"));
  expect(names()).toEqual(["X-A", "apikey"]);
  inventory.remove("services", "a");
  expect(names()).toEqual(["X-A", "apikey"]);
  inventory.remove("services", "c");
  inventory.remove("services", "c");
  expect(names()).toEqual([]);
  inventory.put(service("a", "X-C"));
  expect(names()).toEqual([...runningNames(new Inventory(inventory.all("services").values()))].sort());
});
