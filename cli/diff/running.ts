import "../../plugins/index.js";
import { credentialsOf } from "../../compiler/diff/known-credentials.js";
import type { Trial } from "../../compiler/diff/probe.js";
import type { RunnableSide } from "../../compiler/diff/runnable.js";
import { distinctCredentials } from "../../compiler/plan/credentials.js";
import { pipelinesOf } from "../../compiler/plan/whole.js";
import * as sides from "../../runtime/control/in-process/sides-trial.js";
import type { Side } from "./side.js";

const runnable = (side: Side): RunnableSide => ({
  ...side,
  credentials: distinctCredentials(pipelinesOf(side.plan)),
});

/** Both sides, compiled modules and all, without a network. */
export const trialOf = (before: Side, after: Side): Trial =>
  sides.trialOf(runnable(before), runnable(after), credentialsOf(before, after));
