import type { Timeouts, UpstreamTable } from "../../runtime/abi/generation.js";
import type { PathRules } from "../../runtime/abi/path.js";
import type { Span } from "../diagnostics/diagnostic.js";
import type { Spanned } from "../parse/source.js";
import type { ResourceLists } from "../plugin/resource-table.js";
import type { Listener } from "../policy/listeners.js";
import type { Resource, ResourceName } from "./resource.js";

/** A plugin instance after merging; whole instances replace each other (consumer > route > plugin_config > service). */
export interface ResolvedPlugin {
  name: string;
  config: Spanned<Record<string, unknown>>;
  /** Place of the plugin's key; looked up when it is asked for. */
  readonly span: Span;
  /** The resource that it stands in. */
  owner: ResourceName;
}

/** A client that authenticates itself, and what with: its plugin instances. */
export interface ResolvedConsumer {
  username: string;
  plugins: ResolvedPlugin[];
  /** It has errors of its own: what it would have authenticated itself with is not known. */
  invalid?: true;
}

/** Text by which a plugin knows a consumer, and its place; equal texts are one key. It may hold a secret. */
export interface ConsumerKey {
  text: string;
  span: Span;
}

/** A route with everything it refers to looked up and merged; disabled plugins (`_meta.disable`) are already gone. */
export interface ResolvedRoute {
  id: string;
  name?: string;
  serviceId?: string;
  serviceName?: string;
  hosts: string[];
  uris: string[];
  methods: string[];
  remoteAddrs: string[];
  priority: number;
  order: number;
  vars?: Spanned<unknown[]>;
  timeout?: Timeouts;
  enableWebsocket: boolean;
  /** Unordered; the plan step sorts by `_meta.priority ?? nominal`. */
  plugins: ResolvedPlugin[];
  /** Sorted by username; only for a route with a plugin that authenticates. */
  consumers?: ResolvedConsumer[];
  /** Key into the upstream tables. */
  upstream: string | null;
  /** It stands for a resource that routes use: whether its plugins can work is judged there. */
  judgedElsewhere?: true;
  /** Its service (404) or a plugin_config (503) is missing, and with it nobody knows which plugins. */
  unavailable?: 404 | 503;
}

export interface ResolvedGlobalRule {
  id: string;
  plugins: ResolvedPlugin[];
  /** As for a route. */
  consumers?: ResolvedConsumer[];
}

export interface ResolvedConfiguration {
  routes: ResolvedRoute[];
  globalRules: ResolvedGlobalRule[];
  /** Settings that all instances of a plugin share, by plugin; values fit their schemas. */
  pluginMetadata: Resource<Record<string, unknown>>[];
  upstreams: UpstreamTable[];
  /** Resources of the kinds that plugins have. */
  ofPlugins: { plugin: string; resources: ResourceLists }[];
}

/** What a route needs to know about the rest of the product. */
export interface ResolveContext {
  /** Whether a plugin can make an answer where there is no upstream. */
  answers(plugin: string): boolean;
  /** Whether a plugin asks who the client is, so that its route needs the consumers. */
  authenticates?(plugin: string): boolean;
  /** The key that a plugin instance of a consumer has. */
  consumerKey?(plugin: ResolvedPlugin): ConsumerKey | undefined;
  /** True when a file could not be parsed, so that what is missing may be in it. */
  incomplete?: boolean;
  /** Sections of the configuration, also those with errors; absent: not known. */
  sections?: ReadonlySet<string>;
  /** Whether the gateway listens for TLS anywhere. */
  tlsListener: boolean;
  /** Whether a plugin may change what requests are matched by, or answer them itself. */
  rewrites?(plugin: string): boolean;
  /** Where the gateway listens; absent: the files do not say. */
  listeners?: readonly Listener[];
  /** `gw.path`; absent: not known. */
  pathRules?: PathRules;
}
