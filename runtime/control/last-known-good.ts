import { messageOf } from "../abi/error-message.js";
import type { PluginFile } from "../abi/plugin-bundle.js";
import { ABI } from "../abi/version.js";
import { StartError } from "../process/contribution.js";
import type { GenerationContent } from "../process/generation-log.js";
import { restoreBundles } from "./plugin-bundles.js";
import type { SavedGenerations } from "./saved-generations.js";

/** What a start that cannot run its own configuration has at hand. */
interface FailedStart {
  saved: SavedGenerations;
  /** What the packages of this start do at run time. */
  made: readonly PluginFile[];
  runDirectory: string;
  /** Why the configuration of this start cannot run. */
  reason: string;
}

/**
 * What plugins of packages do in the last known good generation, whatever has become of the packages.
 * @throws StartError when it cannot run
 */
export function goOnWith(
  last: GenerationContent,
  { saved, made, runDirectory, reason }: FailedStart,
): readonly PluginFile[] {
  if (last.abi !== ABI)
    throw new StartError(
      `${reason}\nthe last known good generation is of another version of gwc, it cannot run`,
    );
  // Earlier versions did not keep them.
  if (last.plugins === undefined) return made;
  try {
    return restoreBundles(saved.directory, last.plugins, runDirectory);
  } catch (error) {
    throw new StartError(`${reason}\nthe last known good generation cannot run: ${messageOf(error)}`);
  }
}
