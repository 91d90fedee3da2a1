import type { CaptchaSiteKey } from "../../plugins/captcha/captcha-table.js";

/** A site key with the defaults of the schema. */
export const plainSiteKey = (
  id: string,
  customer: string,
  settings: Partial<CaptchaSiteKey> = {},
): CaptchaSiteKey => ({
  id,
  customer,
  enabled: true,
  hostnames: ["shop.example"],
  embedHosts: [],
  threshold: 0.5,
  challengeMode: "adaptive",
  taskTypes: ["shapes", "rings", "text", "audio"],
  patience: true,
  powBits: 14,
  work: "adaptive",
  ipBinding: "prefix",
  tokenTtl: 300,
  exposeScore: false,
  shadow: false,
  languages: ["ru", "en"],
  theme: "auto",
  operator: null,
  ...settings,
});
