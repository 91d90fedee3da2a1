import type { Contribution, ServiceContribution } from "../../../runtime/process/contribution.js";
import { type CaptchaTable, NO_CAPTCHA } from "../captcha-table.js";
import { captchaOperation } from "./admin.js";
import { attentionOf } from "./attention.js";
import { CaptchaLink } from "./link.js";
import { OPERATIONS } from "./operations.js";
import { RESOURCES } from "./resources.js";
import { type CaptchaDeployment, type CaptchaSection, captchaOf, unkept } from "./settings.js";

const service: ServiceContribution<CaptchaDeployment> = {
  name: "captcha",
  module: new URL("../service/main.js", import.meta.url).href,
  read: (section, around) => captchaOf(section as CaptchaSection, around),
  unkept,
  listen: ({ listen }) => listen,
  url: ({ settings }) => settings.url,
  operations: OPERATIONS,
  answer: (link, request) => captchaOperation(link as CaptchaLink | undefined, request),
  up: { metric: "gw_captcha_up", help: "1 while the captcha serves the current configuration." },
  open: ({ settings, table, ...parts }) =>
    new CaptchaLink({
      ...parts,
      deployment: settings,
      table: () => (table() as CaptchaTable | undefined) ?? NO_CAPTCHA,
    }),
};

export const contribution: Contribution = {
  plugin: "captcha",
  service,
  resources: RESOURCES,
  attention: attentionOf,
};
