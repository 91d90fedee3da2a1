import type { CommandGroup } from "../runtime/process/contribution.js";
import { commands as captcha } from "./captcha/cli/index.js";

/** Plugins of `index.ts` without commands are not listed. */
export const COMMANDS: readonly CommandGroup[] = [captcha];
