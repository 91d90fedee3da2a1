import type { PlannedPipeline, Step } from "../../compiler/plan/plan.js";
import type { KeyAuthData } from "../../compiler/plugins/key-auth.js";
import type { ProxyRewriteData } from "../../compiler/plugins/proxy-rewrite.js";
import type { ResponseRewriteData } from "../../compiler/plugins/response-rewrite.js";
import { keyAuth } from "./key-auth.js";
import { logger } from "./logger.js";
import { proxyRewrite } from "./proxy-rewrite.js";
import { responseRewrite } from "./response-rewrite.js";
import type { State } from "./state.js";

type Interpreter = (step: Step, state: State, pipeline: PlannedPipeline) => void;

/** What a step of each plugin does. */
export const INTERPRETERS: Readonly<Record<string, Interpreter>> = {
  "broker-logger": logger,
  "key-auth": (step, state) => keyAuth(step.data as KeyAuthData, step.errorResponse, state),
  "proxy-rewrite": (step, state) => proxyRewrite(step.data as ProxyRewriteData, state),
  "response-rewrite": (step, state) => responseRewrite(step.data as ResponseRewriteData, state),
  syslog: logger,
};
