import { expect, it } from "vitest";
import { storedName } from "../../../runtime/dashboard/api/stored-name.js";

it.each([
  ["admin routes/shop:3:5", "routes/shop"],
  ["PUT /gw/admin/upstreams/fast:1:1", "upstreams/fast"],
  ["routes/shop.yaml:29:3", undefined],
  ["conf.d/shop.yaml:29:3", undefined],
])("the location %s is in the resource %j of the store", (location, name) => {
  expect(storedName(location)).toBe(name);
});
