import type { CommandGroup } from "../runtime/process/command.js";
import { commands as captcha } from "./captcha/cli/index.js";

/** Commands that the plugins of `index.ts` contribute to `gwc`; one without is not here. */
export const COMMANDS: readonly CommandGroup[] = [captcha];
