import "../../../plugins/index.js";
import { expect, it } from "vitest";
import { checkAssets } from "../../../compiler/packages/assets.js";
import type { PackagedPlugin } from "../../../compiler/plugin/package.js";
import { useTemporaryDirectory } from "../../support/cli.js";
import { writeFiles } from "../../support/plugin-package.js";

const site = useTemporaryDirectory();

/** Checks a package with this schema. */
function check(schema: object): void {
  writeFiles(site.path, { "schema.json": JSON.stringify(schema) });
  checkAssets(site.path, "./hello", { phases: [] } as unknown as PackagedPlugin);
}

const login = (dependencies: object) => ({
  type: "object",
  properties: { user: { type: "string" }, password: { type: "string" } },
  dependencies,
});

it("GW7007 names the list form of dependencies, its position and the form to write", () => {
  const reason = `#/properties/login/dependencies/user: the list form of "dependencies" is not supported; write {"user":{"required":["password"]}}`;
  expect(() => check({ type: "object", properties: { login: login({ user: ["password"] }) } })).toThrow(
    expect.objectContaining({ code: "GW7007", params: expect.objectContaining({ reason }) }),
  );
});

it("a schema of a package may have dependencies with schemas, and a property of that name", () => {
  expect(() => check(login({ user: { required: ["password"] } }))).not.toThrow();
  expect(() => check({ type: "object", properties: { dependencies: { type: "string" } } })).not.toThrow();
});
