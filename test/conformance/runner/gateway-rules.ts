import "../../../plugins/runtime.js";
import { type Settings, settingsOf } from "../../../runtime/control/settings.js";
import { admissionOf } from "../../../runtime/process/data-plane.js";
import type { Admission } from "../../../runtime/proxy/host/admission.js";
import type { GatewayRules } from "../../oracle/admission.js";
import type { ConformanceCase } from "./case.js";

/** Settings of the gateway that a case has beside its routes, as the oracle reads them. */
export const rulesOf = (configuration: ConformanceCase["configuration"]): GatewayRules =>
  (configuration["gw"] ?? {}) as GatewayRules;

/** The same settings on the way that a gateway reads them. */
export function admissionOfCase({ configuration }: Pick<ConformanceCase, "configuration">): Admission {
  const { gw = {} } = configuration;
  const settings: Settings = settingsOf({ gw }, "/", {});
  return admissionOf(settings.admission);
}
