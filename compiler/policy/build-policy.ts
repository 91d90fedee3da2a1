import type { BuiltResource } from "../../runtime/abi/build-files.js";
import { parsePlanFile } from "../build/plan-file.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { renderText } from "../diagnostics/text.js";
import { fixedSpans } from "../parse/node-spans.js";
import type { Resource } from "../resolve/resource.js";
import { checkDeployment, checkPackage } from "./check.js";
import { checkPlanPolicy } from "./plan-policy.js";
import { type Policy, readPolicy } from "./policy.js";
import { policyHash, policySource } from "./policy-file.js";

/** What a build holds that a policy is about. */
export interface BuiltContent {
  resources: readonly BuiltResource[];
  /** `plan.json`. */
  plan: string;
  deployment: unknown;
  packages: readonly { name: string }[];
}

/** Findings of a policy against a build. */
export interface BuildPolicyReport {
  /** Findings as they are printed; "" when it says nothing. */
  report: string;
  /** sha256 of its text, as it was read for this; undefined where it cannot be read. */
  policy: string | undefined;
}

export function checkBuildPolicy(built: BuiltContent, policy: string, directory: string): BuildPolicyReport {
  return judgedBy(policy, directory, (read, report) => {
    checkPlanPolicy(read, built.resources.map(asResource), parsePlanFile(built.plan), report);
    for (const { name } of built.packages) checkPackage(read, name, undefined, report);
    checkDeployment(read, built.deployment as Record<string, unknown> | null, () => undefined, report);
  });
}

/** The report for its settings alone, which say what is bound before anything else is looked at. */
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

/** All that a build says of its places is where each resource began. */
function asResource({ kind, id, value, place }: BuiltResource): Resource {
  const [, file = place, line = "1", column = "1"] = /^(.*):(\d+):(\d+)$/.exec(place) ?? [];
  const start = { line: Number(line), column: Number(column) };
  return { kind, id, value, from: "file", spans: fixedSpans({ file, start, end: start }) };
}
