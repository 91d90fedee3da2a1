import type { PluginPage } from "../runtime/dashboard/plugin-page";
import { page as captcha } from "./captcha/dashboard/index";

/** Pages that the plugins of `index.ts` add to the web interface; plugins without pages are not listed. */
export const PLUGIN_PAGES: readonly PluginPage[] = [captcha];
