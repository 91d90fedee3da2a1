import "../../../plugins/runtime.js";
import { type Settings, settingsOf } from "../../../runtime/control/settings.js";
import { admissionOf } from "../../../runtime/process/data-plane.js";
import type { Admission } from "../../../runtime/proxy/host/admission.js";
import type { GatewayRules } from "../../oracle/admission.js";
import type { ConformanceCase } from "./case.js";

/** Returns a case's settings of the gateway as the oracle reads them. */
export const rulesOf = (configuration: ConformanceCase["configuration"]): GatewayRules =>
  (configuration["gw"] ?? {}) as GatewayRules;

/** Returns a case's admission rules, read from the same settings as a gateway does. */
export function admissionOfCase({ configuration }: Pick<ConformanceCase, "configuration">): Admission {
  const { gw = {} } = configuration;
  const settings: Settings = settingsOf({ gw }, "/", {});
  return admissionOf(settings.admission);
}
