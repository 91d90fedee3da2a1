import type { IndexSettings } from "./formats/index-names.js";

/** How many streams a worker may make, and which labels have values of the request. */
export interface LokiStreams {
  readonly maxStreams: number;
  readonly varying: readonly string[];
}

/** Settings of the formats that have some. */
export interface FormatSettings {
  readonly loki: LokiStreams;
  /** `index` may be a data stream. */
  readonly elasticsearch: IndexSettings;
  readonly clickhouse: { readonly database: string; readonly table: string };
  /** Attributes that say who logs. */
  readonly otlp: { readonly resource: Readonly<Record<string, string>> };
}

/** Where and how records go to an HTTP server, as modules and spools have it. With those settings that its format has. */
export interface HttpDestination extends Partial<FormatSettings> {
  /** http or https, without credentials. */
  readonly uri: string;
  readonly method: "POST" | "PUT";
  /** Fields of the requests; each value is a reference for `ResourceContext.secret`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds for one request, its answer included. */
  readonly timeoutMs: number;
  /** false: any certificate is accepted. */
  readonly verify: boolean;
  readonly tls?: {
    /** Authorities (PEM) in place of the system's. */
    readonly ca?: string;
    readonly cert?: string;
    /** Reference for `ResourceContext.secret`. */
    readonly key?: string;
  };
  readonly format: "json" | "ndjson" | keyof FormatSettings;
  readonly compression: "none" | "gzip" | "zstd";
  /** Records of one request at most. */
  readonly records: number;
}

/** @throws Error for a destination that another version of gwc has described */
export function settingsOf<Format extends keyof FormatSettings>(
  destination: Partial<FormatSettings>,
  format: Format,
): FormatSettings[Format] {
  const settings: FormatSettings[Format] | undefined = destination[format];
  if (settings === undefined) throw new Error(`the destination has no settings for ${format}`);
  return settings;
}

/** The address as it may be printed: without its query, where some servers want a key. */
export function shownAddress({ uri }: Pick<HttpDestination, "uri">): string {
  return uri.replace(/\?.*$/s, "");
}
