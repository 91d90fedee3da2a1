import type { BuiltResource } from "../../runtime/abi/build-files.js";
import { fixedSpans } from "../1-parse/node-spans.js";
import type { Diagnostic } from "../model/diagnostic.js";
import type { Resource } from "../model/resource.js";
import { checkDeployment, checkPackage } from "../policy/check.js";
import { checkPlanPolicy } from "../policy/plan-policy.js";
import { type Policy, readPolicy } from "../policy/policy.js";
import { policyHash, policySource } from "../policy/policy-file.js";
import { renderText } from "../report/text.js";
import { parsePlanFile } from "./plan-file.js";

/** Content of a build that a policy applies to. */
export interface BuiltContent {
  resources: readonly BuiltResource[];
  /** Text of `plan.json`. */
  plan: string;
  deployment: unknown;
  packages: readonly { name: string }[];
}

/** Result of checking a build against a policy. */
export interface BuildPolicyReport {
  /** Errors as they are printed; "" if there are none. */
  report: string;
  /** SHA-256 of the policy's text as it was read for this; undefined if it cannot be read. */
  policy: string | undefined;
}

export function checkBuildPolicy(built: BuiltContent, policy: string, directory: string): BuildPolicyReport {
  return judgedBy(policy, directory, (read, report) => {
    checkPlanPolicy(read, built.resources.map(asResource), parsePlanFile(built.plan), report);
    for (const { name } of built.packages) checkPackage(read, name, undefined, report);
    checkDeployment(read, built.deployment as Record<string, unknown> | null, () => undefined, report);
  });
}

/** Returns the report for the deployment only: listeners are checked before anything else is read. */
export function listenersReport(deployment: unknown, policy: string, directory: string): string {
  const judgement = judgedBy(policy, directory, (read, report) =>
    checkDeployment(read, deployment as Record<string, unknown> | null, () => undefined, report),
  );
  return judgement.report;
}

function judgedBy(
  file: string,
  directory: string,
  judge: (policy: Policy, report: (finding: Diagnostic) => void) => void,
): BuildPolicyReport {
  const { source, diagnostics } = policySource(file, directory);
  const read = source && readPolicy(source);
  const found = [...diagnostics, ...(read?.diagnostics ?? [])];
  if (read?.policy) judge(read.policy, (finding) => found.push(finding));
  const errors = found.filter(({ severity }) => severity === "error");
  const sources = source ? [source] : [];
  const report = errors.length === 0 ? "" : renderText(errors, { sources, masks: [] });
  return { report, policy: policyHash(source) };
}

/** Makes a resource with the only source location that a build has: the start of the resource. */
function asResource({ kind, id, value, place }: BuiltResource): Resource {
  const [, file = place, line = "1", column = "1"] = /^(.*):(\d+):(\d+)$/.exec(place) ?? [];
  const start = { line: Number(line), column: Number(column) };
  return { kind, id, value, from: "file", spans: fixedSpans({ file, start, end: start }) };
}
