import type { PluginMetadataModule } from "../../abi/exchange.js";
import type { Credentials } from "../../abi/log.js";
import type { Explanation } from "../router/explain.js";
import type { LiveGeneration, LiveGlobalRule, LiveRoute, MatchSubject } from "./contract.js";
import type { LiveTables } from "./live-tables.js";

/** Neighbouring generations share rows, modules and balancers. A request keeps the route of its start. */
export class Generation implements LiveGeneration {
  readonly number: number;
  readonly planHash: string;
  readonly globalRules: readonly LiveGlobalRule[];
  readonly pluginMetadata: ReadonlyMap<string, PluginMetadataModule>;
  readonly credentials: Credentials;
  inFlight = 0;
  releases: readonly Release[] = [];
  readonly #tables: LiveTables;

  constructor(
    number: number,
    planHash: string,
    globalRules: readonly LiveGlobalRule[],
    tables: LiveTables,
    pluginMetadata: ReadonlyMap<string, PluginMetadataModule>,
  ) {
    this.pluginMetadata = pluginMetadata;
    this.number = number;
    this.planHash = planHash;
    this.globalRules = globalRules;
    this.#tables = tables;
    this.credentials = tables.credentials.names;
  }

  /** Only for the live generation: called at the start of a request. */
  match(subject: MatchSubject): LiveRoute | undefined {
    return this.#tables.router.match(subject)?.route;
  }

  hasRoute(id: string): boolean {
    return this.#tables.router.get(id) !== undefined;
  }

  explain(subject: MatchSubject): Explanation {
    return this.#tables.router.explain(subject);
  }
}

/** Action that runs once: when no request of a generation and of older ones is left, or at a deadline. */
export class Release {
  #action: (() => void) | undefined;

  constructor(action: () => void) {
    this.#action = action;
  }

  get done(): boolean {
    return this.#action === undefined;
  }

  run(): void {
    const action = this.#action;
    this.#action = undefined;
    action?.();
  }
}
