import type { CommandGroup } from "../runtime/process/command.js";
import { commands as captcha } from "./captcha/cli/index.js";

/** Commands that the plugins of `index.ts` add to `gwc`; plugins without commands are not listed. */
export const COMMANDS: readonly CommandGroup[] = [captcha];
