import { afterEach, expect, it, vi } from "vitest";
import type { CompilerThread } from "../../../compiler/thread/compiler-client.js";
import { tellFailedModule } from "../../../runtime/control/failed-modules.js";

const written: string[] = [];
vi.spyOn(process.stderr, "write").mockImplementation((text) => written.push(String(text)) > 0);
afterEach(() => written.splice(0));

const ORIGIN = "routes/shop plugins.proxy-rewrite";
const failed = {
  type: "module_failed" as const,
  fields: {
    pid: 7,
    at_config: ORIGIN,
    stack: `at rewrite (${ORIGIN}, routes/shop.js:9:1)\nat x (${ORIGIN}.uri, routes/shop.js:10:1)`,
  },
  parts: [
    { origin: ORIGIN, file: "routes/shop.js", line: 9, column: 1 },
    { origin: `${ORIGIN}.uri`, file: "routes/shop.js", line: 10, column: 1 },
  ],
};
const files = { kind: "files" as const, paths: [], directory: "/" };

async function line(
  statementLocations: CompilerThread["statementLocations"],
): Promise<Record<string, unknown>> {
  const compiler = { statementLocations } as Partial<CompilerThread> as CompilerThread;
  await tellFailedModule(failed, { origin: files, compiler, hashOf: () => undefined });
  return JSON.parse(written.join("")) as Record<string, unknown>;
}

const told: CompilerThread["statementLocations"] = async (asked) =>
  asked.map(({ origin }, i) => ({ address: `${origin}.x`, place: `shop.yaml:${i + 1}:5` }));

it("a failed module is logged with the locations of its statements, each with its setting", async () => {
  expect(await line(told)).toMatchObject({
    event: "module_failed",
    pid: 7,
    at_config: "shop.yaml:1:5",
    config: `${ORIGIN}.x`,
    stack: `at rewrite (shop.yaml:1:5 ${ORIGIN}.x, routes/shop.js:9:1)\nat x (shop.yaml:2:5 ${ORIGIN}.uri.x, routes/shop.js:10:1)`,
  });
});

it("a failed module is logged with its config path if no location is known or the compiler has died", async () => {
  expect(
    await line(async (asked) => asked.map(({ origin }) => ({ address: origin, place: origin }))),
  ).toMatchObject(failed.fields);
  written.splice(0);
  expect(await line(async () => Promise.reject(new Error("died")))).toMatchObject(failed.fields);
});
