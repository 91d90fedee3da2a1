/** Header fields in their order. */
export type Fields = readonly (readonly [name: string, value: string])[];

/** A request, and what the upstream answers where it is asked; texts are byte strings. */
export interface SampleRequest {
  method: string;
  host: string;
  /** Path with query. */
  target: string;
  headers: Fields;
  body: string;
  client: string;
  /** Port that it is sent from. Default: 40000. */
  clientPort?: number;
  /** Default: HTTP/1.1. */
  http?: "1.0";
  /** It comes over TLS; its connection by the names of the variables without `$ssl_`, as far as it is no usual one. */
  tls?: Readonly<Record<string, string>>;
  /** Address that it comes in at. Default: 127.0.0.1. */
  serverAddress?: string;
  /** Port that it comes in at. Default: the first of its scheme that the settings name. */
  port?: number;
  /** Each number from 0 to 1 that chance gives. Default: 0.5. */
  chance?: number;
  upstream: { status: number; headers: Fields; body: string };
}

/** What a configuration makes of a probe. */
export interface Observation {
  /** Id of the route that took it; null: none, or it was refused before. */
  route: string | null;
  /** Where it was sent: "http://10.0.0.1:80, http://10.0.0.2:80"; null: nowhere. */
  upstream: string | null;
  status: number;
  /** Everything that can be seen of it from outside, by name: "response header etag", "upstream target", "syslog record". */
  seen: ReadonlyMap<string, string>;
}

export type Which = "before" | "after";

/** Both configurations, ready to be asked. */
export interface DiffSimulator {
  /** Fields with which clients that the configurations know authenticate themselves; no report shows the values. */
  readonly credentials: readonly { header: string; value: string }[];
  /** Number of conditions of routes that all requests so far have been tried on. */
  conditionsAsked(): number;
  /** Id of the route that takes the request. */
  match(which: Which, probe: SampleRequest): string | null;
  /** What comes of the request; undefined where that cannot be tried without a network. */
  observe(which: Which, probe: SampleRequest): Promise<Observation | undefined>;
}
