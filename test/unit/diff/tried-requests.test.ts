import { expect, test } from "vitest";
import { diffTraffic } from "../../../compiler/diff/traffic.js";
import { createSimulator } from "../../../runtime/control/in-process/diff-simulator.js";
import { compiledCase } from "../../conformance/runner/compiled.js";

const whole = { credentials: [], deployment: {}, secrets: new Map(), foreign: new Set<string>() };

function sideOf(routes: readonly object[]) {
  const plugins = { "response-rewrite": { body: "own" } };
  const own = routes.map((route) => ({ plugins, ...route }));
  return compiledCase({ name: "beside", because: {}, reference: [], configuration: { routes: own } });
}

/** Returns the changes between two lists of routes. */
async function changesOf(before: readonly object[], after: readonly object[]) {
  const [old, fresh] = [sideOf(before), sideOf(after)];
  const trial = createSimulator({ ...old, ...whole }, { ...fresh, ...whole }, []);
  return (await diffTraffic(old.plan, fresh.plan, trial)).changes;
}

const narrowed = { id: "r", uri: "/x/*", vars: [["arg_a", "==", "1"]] };

test.each(["/*", "/y/*"])(
  "the change of a narrowed route has no note if another route takes %s",
  async (uri) => {
    const beside = { id: "d", uri };
    const changes = await changesOf([{ id: "r", uri: "/x/*" }, beside], [narrowed, beside]);
    const [matching] = changes.filter(({ kind }) => kind === "matching");
    expect(matching).toMatchObject({ subject: "r", severity: "changed" });
    expect(matching).not.toHaveProperty("note");
  },
);

test("the change of a new route has no note if there is a route for all paths", async () => {
  const beside = { id: "d", uri: "/*" };
  const changes = await changesOf([beside], [narrowed, beside]);
  const [added] = changes.filter(({ kind }) => kind === "new");
  expect(added).toMatchObject({ kind: "new", subject: "r", severity: "changed" });
  expect(added).not.toHaveProperty("note");
});
