import type { BuiltResource } from "../../runtime/abi/build-files.js";
import { VERSION } from "../../runtime/abi/version.js";
import { fixedSpans } from "../1-parse/spans.js";
import { diagnostic } from "../diagnostics/report.js";
import { isError, type Report, spanOfLocation } from "../model/diagnostic.js";
import type { Resource } from "../model/resource.js";
import { checkDeployment, checkPackage, checkPlanPolicy } from "../policy/check.js";
import { type Policy, readPolicy } from "../policy/policy.js";
import { policyHash, policySource } from "../policy/policy-file.js";
import { renderText } from "../report/text.js";
import { type PlannedBuild, planOfBuild } from "./built-plan.js";

/** Content of a build that a policy applies to. */
export interface BuiltContent extends PlannedBuild {
  /** Directory of the build. */
  path: string;
  /** Version of gwc that wrote it. */
  version: string;
  /** SHA-256 of the policy that it satisfies; undefined if it was built without one. */
  policy: string | undefined;
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
  return judgedBy(policy, directory, (read, report, hash) => {
    const resources = built.resources.map(asResource);
    const plan = hash === built.policy ? undefined : planFor(read, built, report);
    checkPlanPolicy(read, resources, plan, report);
    for (const { name } of built.packages) checkPackage(read, name, undefined, report);
    checkDeployment(read, built.deployment as Record<string, unknown> | null, () => undefined, report);
  });
}

/**
 * Returns the plan if the policy has rules for regular expressions, which only the plan describes. The build
 * passed them if it was made with the same policy.
 */
function planFor({ value }: Policy, built: BuiltContent, report: Report): unknown {
  if (value.regex === undefined) return undefined;
  const { path: directory, version: found } = built;
  // Another version may choose another engine than that of the modules.
  if (built.plan === undefined && found !== VERSION) {
    report(diagnostic("GW6104", undefined, { directory, what: "version", found, expected: VERSION }));
    return undefined;
  }
  const plan = planOfBuild(built);
  if (!Array.isArray(plan)) return plan;
  plan.forEach(report);
  return undefined;
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
  judge: (policy: Policy, report: Report, hash: string | undefined) => void,
): BuildPolicyReport {
  const { source, diagnostics } = policySource(file, directory);
  const read = source && readPolicy(source);
  const found = [...diagnostics, ...(read?.diagnostics ?? [])];
  const hash = policyHash(source);
  if (read?.policy) judge(read.policy, (finding) => found.push(finding), hash);
  const errors = found.filter(isError);
  const sources = source ? [source] : [];
  const report = errors.length === 0 ? "" : renderText(errors, { sources, masks: [] });
  return { report, policy: hash };
}

/** Makes a resource with the only source location that a build has: the start of the resource. */
function asResource({ kind, id, value, place }: BuiltResource): Resource {
  return { kind, id, value, from: "file", spans: fixedSpans(spanOfLocation(place, place)) };
}
