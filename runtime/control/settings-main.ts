/**
 * Process that reads the deployment settings, so that the launcher never loads a parser. Argument: a
 * `RunSource` as JSON. Output: `{ settings }` or `{ error }` as JSON on stdout.
 */
import "../process/signals.js";
import "../process/crash-log.js";
import { StartError } from "../process/contribution.js";
import type { RunSource } from "./launch-settings.js";
import { runSettings } from "./run-settings.js";
import type { Settings } from "./settings.js";

export type SettingsAnswer = { settings: Settings } | { error: string };

async function answer(): Promise<SettingsAnswer> {
  try {
    return { settings: await runSettings(JSON.parse(process.argv[2] ?? "") as RunSource, process.env) };
  } catch (error) {
    if (error instanceof StartError) return { error: error.message };
    throw error;
  }
}

process.stdout.write(JSON.stringify(await answer()));
