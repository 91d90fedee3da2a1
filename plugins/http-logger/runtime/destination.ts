import type { IndexSettings } from "./formats/index-names.js";

/** Maximum per worker, and the labels with values of the request. */
export interface LokiStreams {
  readonly maxStreams: number;
  readonly varying: readonly string[];
}

export interface FormatSettings {
  readonly loki: LokiStreams;
  /** `index` may be a data stream. */
  readonly elasticsearch: IndexSettings;
  readonly clickhouse: { readonly database: string; readonly table: string };
  /** Attributes that identify the sender. */
  readonly otlp: { readonly resource: Readonly<Record<string, string>> };
}

/** Part of modules and spools. */
export interface HttpDestination extends Partial<FormatSettings> {
  /** http or https, without credentials. */
  readonly uri: string;
  readonly method: "POST" | "PUT";
  /** Each value is a reference for `ResourceContext.secret`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Timeout of one request with its response. */
  readonly timeoutMs: number;
  /** false: accepts any certificate. */
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
  /** Maximum of one request. */
  readonly records: number;
}

/** @throws Error for a destination from another version of gwc */
export function settingsOf<Format extends keyof FormatSettings>(
  destination: Partial<FormatSettings>,
  format: Format,
): FormatSettings[Format] {
  const settings: FormatSettings[Format] | undefined = destination[format];
  if (settings === undefined) throw new Error(`the destination has no settings for ${format}`);
  return settings;
}

/** Omits the query: some servers take a key there. */
export function shownAddress({ uri }: Pick<HttpDestination, "uri">): string {
  return uri.replace(/\?.*$/s, "");
}
