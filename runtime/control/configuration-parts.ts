import type { Change } from "../../compiler/model/input.js";
import type { ControlCompiler } from "./compiler.js";
import type { History } from "./history/history.js";
import type { NamedCredentials } from "./named-credentials.js";
import type { Publication } from "./publication.js";
import type { ReloadedSettings } from "./reloaded.js";
import type { ResourceCatalog } from "./resource-catalog.js";
import type { SecretMasking } from "./secret-masking.js";
import type { Store } from "./store/store.js";
import type { Counted } from "./write-result.js";

/** State for the decision on a write; no other write runs meanwhile. */
export interface WriteContext {
  resources: ResourceCatalog;
  revision: number;
}

export type Look = (compiler: ControlCompiler, changes: readonly Change[]) => Promise<void>;

export interface ConfigurationParts {
  resources: ResourceCatalog;
  compiler: ControlCompiler | null;
  publication: Publication;
  store: Store;
  history: History;
  redaction: SecretMasking;
  credentials: NamedCredentials;
  settingsOf: (deployment: unknown) => ReloadedSettings;
  wrote?: (counted: Counted) => void;
}
