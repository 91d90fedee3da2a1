import type { PlannedPipeline, Step } from "../../compiler/plan/plan.js";
import type { CaptchaData } from "../../compiler/plugins/captcha.js";
import type { KeyAuthData } from "../../compiler/plugins/key-auth.js";
import type { ProxyRewriteData } from "../../compiler/plugins/proxy-rewrite.js";
import type { ResponseRewriteData } from "../../compiler/plugins/response-rewrite.js";
import { captcha, cleanCaptcha } from "./captcha.js";
import { keyAuth } from "./key-auth.js";
import { logger } from "./logger.js";
import { proxyRewrite } from "./proxy-rewrite.js";
import { askForWhole, responseRewrite } from "./response-rewrite.js";
import type { State } from "./state.js";

type Interpreter = (step: Step, state: State, pipeline: PlannedPipeline) => void;

/** What a step of each plugin does. */
export const INTERPRETERS: Readonly<Record<string, Interpreter>> = {
  "broker-logger": logger,
  captcha(step, state, { resources = [] }) {
    const data = resources.find(({ plugin }) => plugin === step.plugin)?.data as CaptchaData;
    if (step.phase === "rewrite") cleanCaptcha(state);
    else captcha(data, step.errorResponse, state);
  },
  "key-auth": (step, state) => keyAuth(step.data as KeyAuthData, step.errorResponse, state),
  "proxy-rewrite": (step, state) => proxyRewrite(step.data as ProxyRewriteData, state),
  "response-rewrite": (step, state) => {
    const data = step.data as ResponseRewriteData;
    if (step.phase === "access") askForWhole(data, state);
    else responseRewrite(data, state);
  },
  syslog: logger,
};
