import type { PluginFile } from "../abi/plugin-bundle.js";
import type { FileRange, Secrets, WorkerSettings } from "../process/messages.js";

/** What a starting worker is given. */
export interface Committed {
  number: number;
  planHash: string;
  log(): FileRange;
  settings: WorkerSettings;
  secrets: Secrets;
  /** What plugins of packages do at run time. */
  plugins: readonly PluginFile[];
  /** Id of the route with this `routeNumber`. */
  routeAt(number: number): string | undefined;
  /** Changes when code that the route runs does; undefined when there is no such route. */
  routeVersion(id: string): string | undefined;
  /** Id of the n-th global rule. */
  globalRuleAt(index: number): string | undefined;
}
