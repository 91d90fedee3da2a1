import "../../plugins/index.js";
import { credentialsOf } from "../../compiler/diff/known-credentials.js";
import type { RunnableSide } from "../../compiler/diff/runnable.js";
import type { DiffSimulator } from "../../compiler/diff/sample-request.js";
import { distinctCredentials } from "../../compiler/plan/credentials.js";
import { pipelinesOf } from "../../compiler/plan/plan-document.js";
import * as sides from "../../runtime/control/in-process/diff-simulator.js";
import type { Side } from "./side.js";

const runnable = (side: Side): RunnableSide => ({
  ...side,
  credentials: distinctCredentials(pipelinesOf(side.plan)),
});

/** Simulates requests on the compiled modules of both sides, without a network. */
export const diffSimulator = (before: Side, after: Side): DiffSimulator =>
  sides.createSimulator(runnable(before), runnable(after), credentialsOf(before, after));
