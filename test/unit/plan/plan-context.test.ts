import { expect, it } from "vitest";
import { parseSource } from "../../../compiler/1-parse/parse.js";
import { planCondition } from "../../../compiler/4-plan/condition.js";
import type { PlanContext } from "../../../compiler/plugin/definition.js";

/** Calls `planCondition` as an author of a plugin does, with members of the plan context. */
function planned(context: Pick<PlanContext, "report" | "origin" | "guarantees">) {
  const { document } = parseSource({ name: "vars", text: '[["uri", "==", "/a"]]', format: "json" });
  if (document === undefined) throw new Error("the list does not parse");
  const rule = { value: document.value as unknown[], spans: document.spans };
  return planCondition(rule, { ...context, now: "request", place: "vars of a plugin" });
}

const report = () => undefined;
const origin = () => "routes/r plugins.p.vars" as const;

it("a condition planned with a spread plan context is constant if the route guarantees its outcome", () => {
  const guarantees = { methods: [], hosts: [], uris: ["/a"] };
  expect(JSON.stringify(planned({ report, origin, guarantees }))).toContain('"proven":true');
  expect(JSON.stringify(planned({ report, origin }))).not.toContain("proven");
});
