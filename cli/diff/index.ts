import "../../plugins/index.js";
import { randomBytes } from "node:crypto";
import { distinctCredentials } from "../../compiler/4-plan/credentials.js";
import { type Severity, worst } from "../../compiler/diff/change.js";
import { credentialsOf } from "../../compiler/diff/known-credentials.js";
import { type Report, reportOf } from "../../compiler/diff/report.js";
import { settingsChanges } from "../../compiler/diff/shared.js";
import type { DiffSimulator, RunnableSide } from "../../compiler/diff/simulator.js";
import { diffTraffic } from "../../compiler/diff/traffic.js";
import { pipelinesOf } from "../../compiler/model/plan.js";
import { hasUserInfo, USER_INFO } from "../../runtime/abi/admin-call.js";
import { messageOf } from "../../runtime/abi/error-message.js";
import { escapeUnseen, visibleLine } from "../../runtime/abi/text/unseen.js";
import * as sides from "../../runtime/control/in-process/diff-simulator.js";
import { withoutNetwork } from "../../runtime/control/in-process/no-network.js";
import { namedKeys } from "../../runtime/control/launch-settings.js";
import { type ColorChoice, complain, complainInLines, Progress, usesColor } from "../output.js";
import { markdownReport } from "./markdown.js";
import { DiffInputError, type Side } from "./side.js";
import { defaultSide, isBuild, isLive, readSide } from "./sides.js";
import { textReport } from "./text-report.js";

const runnable = (side: Side): RunnableSide => ({
  ...side,
  credentials: distinctCredentials(pipelinesOf(side.plan)),
});

/** Simulates requests on the compiled modules of both sides, without a network. */
export const diffSimulator = (before: Side, after: Side): DiffSimulator =>
  sides.createSimulator(runnable(before), runnable(after), credentialsOf(before, after));

export interface DiffOptions {
  /** Paths of the second configuration if no argument names it. */
  config?: string[];
  format: "text" | "json" | "markdown";
  failOn: "any" | "changed" | "never";
  key?: string;
  /** Files of public keys. Default: the files in GWC_VERIFY_KEY. */
  verify?: string[];
  color?: ColorChoice;
  quiet?: boolean;
}

const SAME = 0;
const CHANGED = 1;
const TROUBLE = 2;
const ADDITIVE = 3;

/**
 * `gwc diff`: exit 0 if nothing changes for traffic, 1 if responses differ, 2 if the sides cannot be
 * compared. Exit 3 if responses differ only for requests that no route matched before.
 */
export async function diff(before: string, after: string | undefined, options: DiffOptions): Promise<number> {
  const { config } = options;
  if (after !== undefined && config !== undefined) {
    complain(`the second configuration is given twice: as ${after} and with --config`);
    return TROUBLE;
  }
  const other = after ?? config?.join(",") ?? defaultSide();
  if (other === undefined) {
    complain(
      `no gateway.yaml here to compare with; name the second configuration (FILE,… at the end, or --config FILE…)`,
    );
    return TROUBLE;
  }
  if ([before, other].some(hasUserInfo)) {
    complain(USER_INFO);
    return TROUBLE;
  }
  const progress = new Progress(options.quiet === true);
  try {
    const report = await compared(before, other, options, progress);
    progress.end();
    process.stdout.write(printed(report, options));
    return exitCode(report.severity, options.failOn);
  } catch (error) {
    progress.end();
    if (!(error instanceof DiffInputError))
      complain(`cannot compare the configurations: ${messageOf(error)}`);
    else if (error.refusal === undefined) complain(error.message);
    else complainInLines(`${visibleLine(error.message)} ${error.refusal}`);
    return TROUBLE;
  }
}

async function compared(
  before: string,
  after: string,
  { key, verify }: DiffOptions,
  progress: Progress,
): Promise<Report> {
  // Secrets are compared by their HMAC with a one-time key, so no output helps to guess a secret.
  const secretKey = randomBytes(32).toString("hex");
  const options = { key, secretKey, trusted: verify ?? namedKeys() };
  progress.stage(`reading ${before}`);
  // A gateway after the side that has its secrets, a build after files: it may have the same plan.
  const isLast = isLive(before) || (isBuild(before) && !isBuild(after) && !isLive(after));
  const [first, second] = isLast ? [after, before] : [before, after];
  const one = await readSide(first, { ...options, beside: second });
  progress.stage(`reading ${second}`);
  const two = await readSide(second, { ...options, beside: first, other: one });
  if (verify !== undefined && !one.built && !two.built)
    throw new DiffInputError(`neither ${before} nor ${after} is a build, so --verify has nothing to verify`);
  const [old, fresh] = first === before ? [one, two] : [two, one];
  progress.stage(`comparing ${fresh.plan.routes.length} routes`);
  const restore = withoutNetwork();
  const found = await diffTraffic(old.plan, fresh.plan, diffSimulator(old, fresh), (done) =>
    progress.stage(done),
  ).finally(restore);
  const known = old.deployment !== undefined && fresh.deployment !== undefined;
  const settings = known ? settingsChanges(old.deployment, fresh.deployment) : [];
  const changes = [
    ...settings.filter(({ kind }) => kind !== "operation"),
    ...found.changes,
    ...settings.filter(({ kind }) => kind === "operation"),
  ];
  const severity = worst(changes.map((change) => change.severity));
  return reportOf({ ...found, changes, severity }, named(old), named(fresh));
}

function named(side: Side) {
  const routes = new Set(side.plan.routes.map(({ row }) => row.id));
  const shared = new Set(side.plan.globalRules.map(({ id }) => `global_rules/${id}`));
  return {
    name: side.name,
    note: side.note,
    secrets: [...side.secrets.values(), ...side.hidden],
    place: (subject: string) => {
      if (routes.has(subject)) return side.place(`routes/${subject}`);
      return shared.has(subject) ? side.place(subject) : undefined;
    },
  };
}

function printed(report: Report, { format, color = "auto" }: DiffOptions): string {
  if (format === "json") return `${escapeUnseen(JSON.stringify(report, null, 2))}\n`;
  if (format === "markdown") return markdownReport(report);
  return textReport(report, usesColor(color, process.stdout));
}

function exitCode(severity: Severity, failOn: DiffOptions["failOn"]): number {
  if (severity === "none" || failOn === "never") return SAME;
  if (severity === "changed") return CHANGED;
  return failOn === "any" ? ADDITIVE : SAME;
}
