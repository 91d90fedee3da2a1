import type { PluginPage } from "../runtime/dashboard/plugin-page";
import { page as captcha } from "./captcha/dashboard/index";

/** Pages that the plugins of `index.ts` contribute to the web interface; one without is not here. */
export const PLUGIN_PAGES: readonly PluginPage[] = [captcha];
