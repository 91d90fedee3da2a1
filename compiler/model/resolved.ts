import type { RouterRow } from "../../runtime/abi/generation.js";
import type { PathRules } from "../../runtime/abi/path.js";
import type { Span } from "./diagnostic.js";
import type { ResourceName } from "./resource.js";
import type { Path, Spanned } from "./source.js";

/** Plugin instance after merging; whole instances replace each other (consumer > route > plugin_config > service). */
export interface ResolvedPlugin {
  name: string;
  config: Spanned<Record<string, unknown>>;
  /** Span of the plugin's key, computed when it is read. */
  readonly span: Span;
  owner: ResourceName;
}

/** Client that authenticates itself, with the instances that hold its credentials. */
export interface ResolvedConsumer {
  username: string;
  plugins: ResolvedPlugin[];
  /** It has errors: its credentials are unknown. */
  invalid?: true;
}

/** Text by which a plugin recognises a consumer; equal texts are one key. It may hold a secret. */
export interface ConsumerKey {
  text: string;
  span: Span;
}

/** Route whose references are resolved and merged, without disabled plugins (`_meta.disable`). */
export interface ResolvedRoute extends Omit<RouterRow, "moduleId" | "hasMatch"> {
  vars?: Spanned<unknown[]>;
  /** Unordered; the plan step sorts by `_meta.priority ?? nominal`. */
  plugins: ResolvedPlugin[];
  /** Sorted by username; only for a route with a plugin that authenticates. */
  consumers?: ResolvedConsumer[];
  /** Represents a resource that routes use; their own checks decide whether its plugins can work. */
  judgedElsewhere?: true;
  /** Its service (404) or a plugin_config (503) is missing, and with it an unknown list of plugins. */
  unavailable?: 404 | 503;
}

export interface ResolvedGlobalRule {
  id: string;
  plugins: ResolvedPlugin[];
  /** As in a route. */
  consumers?: ResolvedConsumer[];
}

/** Facts about the rest of the product that routes depend on. */
export interface ResolveContext {
  /** Reports whether a plugin can respond without an upstream. */
  answers(plugin: string): boolean;
  /** Reports whether a plugin authenticates clients, so that its route needs the consumers. */
  authenticates?(plugin: string): boolean;
  consumerKey?(plugin: ResolvedPlugin): ConsumerKey | undefined;
  /** A file could not be parsed, so that missing resources may be in it. */
  incomplete?: boolean;
  /** Sections, including those with errors; absent if unknown. */
  sections?: ReadonlySet<string>;
  tlsListener: boolean;
  /** Reports whether a plugin may respond to requests, or change what they are matched by. */
  rewrites?(plugin: string): boolean;
  /** Listeners of the gateway; absent if the files do not say. */
  listeners?: readonly Listener[];
  /** `gw.path`; absent if unknown. */
  pathRules?: PathRules;
}

export interface Listener {
  setting: string;
  path: Path;
  address: string;
  port: number;
  /** Clients connect without TLS. */
  open: boolean;
}

/**
 * Facts about every request of a route before anything of it runs. They include `vars`, which the router has
 * compared. Plugins do not invalidate them: they change what is sent, never what was received. An empty list
 * is no restriction.
 */
export interface RouteGuarantees {
  methods: readonly string[];
  /** Exact, or `*suffix`. */
  hosts: readonly string[];
  /** Patterns in the form of `patternForm`. */
  uris: readonly string[];
  /** The route has `vars` in addition. */
  vars?: true;
}
