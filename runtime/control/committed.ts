import type { PluginFile } from "../abi/plugin-bundle.js";
import type { FileRange, Secrets, WorkerSettings } from "../process/messages.js";

/** Committed generation, as a starting worker receives it. */
export interface Committed {
  number: number;
  planHash: string;
  log(): FileRange;
  settings: WorkerSettings;
  secrets: Secrets;
  plugins: readonly PluginFile[];
  routeAt(number: number): string | undefined;
  /** Returns a value that changes with the code of the route; undefined if there is no such route. */
  routeVersion(id: string): string | undefined;
  globalRuleAt(index: number): string | undefined;
}
