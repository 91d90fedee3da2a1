import type { CaptchaTable } from "../../runtime/abi/captcha.js";
import type { RouterRow, UpstreamTable } from "../../runtime/abi/generation.js";
import type { MetadataPlan } from "../log/plan.js";
import type { Origin, PlannedPipeline } from "./plan.js";

/** What the gateway will do, as plain data: `gwc plan` prints it, targets turn it into code or prose. */
export interface Plan {
  version: 1;
  routes: { row: RouterRow; origin: Origin; pipeline: PlannedPipeline | null }[];
  globalRules: PlannedPipeline[];
  /** By plugin; absent when there is none. */
  pluginMetadata?: MetadataPlan[];
  upstreams: UpstreamTable[];
  /** For the captcha; absent when there is none. */
  captcha?: CaptchaTable;
}
