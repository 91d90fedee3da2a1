import type { PluginPage } from "../runtime/dashboard/plugin-page";
import { page as captcha } from "./captcha/dashboard/index";

/** Plugins of `index.ts` without pages are not listed. */
export const PLUGIN_PAGES: readonly PluginPage[] = [captcha];
