import "../../plugins/index.js";
import { distinctCredentials } from "../../compiler/4-plan/credentials.js";
import { credentialsOf } from "../../compiler/diff/known-credentials.js";
import type { RunnableSide } from "../../compiler/diff/runnable.js";
import type { DiffSimulator } from "../../compiler/diff/sample-request.js";
import { pipelinesOf } from "../../compiler/model/plan-document.js";
import * as sides from "../../runtime/control/in-process/diff-simulator.js";
import type { Side } from "./side.js";

const runnable = (side: Side): RunnableSide => ({
  ...side,
  credentials: distinctCredentials(pipelinesOf(side.plan)),
});

/** Simulates requests on the compiled modules of both sides, without a network. */
export const diffSimulator = (before: Side, after: Side): DiffSimulator =>
  sides.createSimulator(runnable(before), runnable(after), credentialsOf(before, after));
