/** Headers in their order. */
export type Fields = readonly (readonly [name: string, value: string])[];

/** Request, with the upstream's response if the request reaches it. Texts are byte strings. */
export interface SampleRequest {
  method: string;
  host: string;
  /** Path with query. */
  target: string;
  headers: Fields;
  body: string;
  client: string;
  /** Source port. Default: 40000. */
  clientPort?: number;
  /** Default: HTTP/1.1. */
  http?: "1.0";
  /** Set for a request over TLS: variables of its connection that are not usual, without `$ssl_`. */
  tls?: Readonly<Record<string, string>>;
  /** Address that receives it. Default: 127.0.0.1. */
  serverAddress?: string;
  /** Port that receives it. Default: the first of its scheme in the settings. */
  port?: number;
  /** Result of every random number from 0 to 1. Default: 0.5. */
  chance?: number;
  upstream: { status: number; headers: Fields; body: string };
}

/** Result of a sample request in one configuration. */
export interface Observation {
  /** Id of the matched route; null if none matched or the request was rejected before. */
  route: string | null;
  /** Nodes that it was sent to: "http://10.0.0.1:80, http://10.0.0.2:80"; null if none. */
  upstream: string | null;
  status: number;
  /** All visible effects by name: "response header etag", "upstream target", "syslog record". */
  seen: ReadonlyMap<string, string>;
}

export type Which = "before" | "after";

/** Both configurations, ready to run requests. */
export interface DiffSimulator {
  /** Headers with which known clients authenticate; no report shows the values. */
  readonly credentials: readonly { header: string; value: string }[];
  /** Number of route conditions evaluated for all requests so far. */
  conditionsAsked(): number;
  /** Id of the route that matches the request. */
  match(which: Which, probe: SampleRequest): string | null;
  /** Runs the request. @returns undefined if that needs a network */
  observe(which: Which, probe: SampleRequest): Promise<Observation | undefined>;
}
