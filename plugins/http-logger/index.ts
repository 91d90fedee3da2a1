import { defineLogger, type PlannedSecrets, type UnusedSetting } from "../../compiler/logger-api.js";
import {
  diagnostic,
  type JsonObject,
  type PlanContext,
  type PluginSettings,
  type Sources,
  type TextFormats,
} from "../../compiler/plugin-api.js";
import { DIAGNOSTICS } from "./diagnostics.js";
import { planIndex } from "./index-plan.js";
import { planLabels } from "./labels.js";
import { DEFAULTS } from "./runtime/defaults.gen.js";
import type { HttpLogger } from "./schema.gen.js";

const ADDRESS = /^https?:\/\/[^\s#]+$/;

/** Checks that patterns cannot express. Messages repeat no part of an address: its query may hold a key. */
const FORMATS: TextFormats = {
  "log-uri": { code: "GW2140", errorText: "invalid address of a log server", fault: addressFault },
  "index-name": { code: "GW2144", errorText: "invalid name of an index", fault: indexFault },
  "loki-label": { code: "GW2142", errorText: "invalid name of a label", fault: labelFault },
};

function addressFault(text: string): string | undefined {
  if (!ADDRESS.test(text)) return "it must begin with http:// or https:// and contain neither spaces nor #";
  if (!URL.canParse(text)) return "its host or port is invalid";
  const { username, password } = new URL(text);
  return username === "" && password === "" ? undefined : "credentials belong in auth_header or headers";
}

function labelFault(name: string): string | undefined {
  if (name.startsWith("__")) return 'names that begin with "__" are Loki\'s own';
  if (/^[a-zA-Z_][a-zA-Z0-9_]*$/.test(name)) return undefined;
  return 'it is made of letters, digits and "_", and does not begin with a digit';
}

/** Variables are checked when the index is planned. */
function indexFault(index: string): string | undefined {
  const literal = index.replace(/\$\{[^}]*\}|\$\w+/g, "0").replace(/%[YmdH]/g, "0");
  const [unknown] = /%./.exec(literal) ?? [];
  if (unknown !== undefined) return `"${unknown}" is not supported: use %Y, %m, %d and %H`;
  if (/^[-_.]/.test(literal)) return 'it does not begin with "-", "_" or "."';
  const [found] = /[^a-z0-9._-]/.exec(literal) ?? [];
  return found === undefined ? undefined : `"${found}" is not allowed in it`;
}

type Settled = PluginSettings<HttpLogger>;

const SECOND = 1000;

/** The client itself writes headers for framing and content type. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  ...["connection", "content-encoding", "content-length", "expect", "host", "keep-alive", "te", "trailer"],
  ...["transfer-encoding", "upgrade"],
]);

export const httpLogger = {
  moduleUrl: import.meta.url,
  // Between broker-logger (403) and syslog (401).
  priority: 402,
  formats: FORMATS,
  diagnostics: DIAGNOSTICS,
  ...defineLogger<HttpLogger>({
    name: "http-logger",
    defaults: DEFAULTS,
    plan(settings, context, secrets) {
      const destination = destinationOf(settings, secrets, context);
      const idle = idleFields(settings);
      const { format, loki } = settings.value;
      if (format === "elasticsearch") {
        const { entryKey, elasticsearch } = planIndex(settings, context);
        return { destination: { ...destination, elasticsearch }, idle, entryKey };
      }
      if (format !== "loki") return { destination, idle };
      const { fields, varying } = planLabels(settings, context);
      const streams = { maxStreams: loki.max_streams, varying };
      return { destination: { ...destination, loki: streams }, idle, entryFields: fields };
    },
    sources: sourcesOf,
    entryFields: ["loki", "labels"],
    label: ({ uri }) => `http log to ${new URL(String(uri)).hostname}`,
    describe: ({ uri, format }) => `${String(uri).replace(/\?.*$/s, "")} as ${format}`,
  }),
};

function sourcesOf(destination: JsonObject): Sources {
  const { headers = {} } = destination as { headers?: JsonObject };
  const names = Object.keys(headers).map((name) => [name, [["headers", name], ["auth_header"]]]);
  return {
    destination: {
      headers: Object.fromEntries(names) as Sources,
      timeoutMs: ["timeout"],
      verify: ["ssl_verify"],
      format: [["format"], ["concat_method"]],
      loki: [["loki"], ["format"]],
      elasticsearch: [["elasticsearch"], ["format"]],
      clickhouse: [["clickhouse"], ["format"]],
      otlp: [["otlp"], ["format"]],
      records: ["batch_max_size"],
    },
    versions: [["headers"], ["auth_header"], ["tls", "key"]],
    keyOf: [["elasticsearch", "index"], ["loki", "labels"], ["format"]],
  };
}

function destinationOf(
  { value, written, spans }: Settled,
  secrets: PlannedSecrets,
  context: PlanContext,
): JsonObject {
  const headers: [string, string][] = [];
  for (const [name, text] of Object.entries(value.headers)) {
    if (OWN_HEADERS.has(name.toLowerCase()))
      context.report(diagnostic("GW4420", spans.key(["headers", name]), { name }));
    else headers.push([name, secrets.reference(text, ["headers", name])]);
  }
  if (value.auth_header !== undefined && !namesAuthorization(value))
    headers.push(["Authorization", secrets.reference(value.auth_header, ["auth_header"])]);
  return {
    uri: value.uri,
    method: isOwnForm(value) ? value.method : "POST",
    ...(headers.length > 0 && { headers: Object.fromEntries(headers) }),
    timeoutMs: value.timeout * SECOND,
    verify: value.ssl_verify,
    ...(value.tls && {
      tls: { ...value.tls, ...secrets.clientPair(value.tls, ["tls"], spans) },
    }),
    format: written.format === undefined && value.concat_method === "new_line" ? "ndjson" : value.format,
    // Labels of Loki and names of indexes may be code: they are planned apart.
    ...(value.format === "clickhouse" && { clickhouse: { ...value.clickhouse } }),
    ...(value.format === "otlp" && { otlp: { resource: { ...value.otlp.resource } } }),
    compression: value.compression,
    records: value.batch_max_size,
  };
}

const namesAuthorization = ({ headers }: HttpLogger) =>
  Object.keys(headers).some((name) => name.toLowerCase() === "authorization");

function idleFields({ value, written }: Settled): UnusedSetting[] {
  const plain = value.uri.startsWith("http:") ? ["ssl_verify", "tls"] : [];
  return [
    ...plain.map((field) => ({ field, because: "uri is http: there is no certificate" })),
    ...(namesAuthorization(value)
      ? [{ field: "auth_header", because: "headers has a value for Authorization" }]
      : []),
    ...ofOtherFormats(value),
    ...(isOwnForm(value) ? [] : [{ field: "method", because: `${value.format} takes POST` }]),
    ...(written.format === undefined ? [] : [{ field: "concat_method", because: "format is given" }]),
  ];
}

/** Other formats are bound to a log store, whose API defines its requests. */
const isOwnForm = ({ format }: HttpLogger) => format === "json" || format === "ndjson";

function ofOtherFormats({ format }: HttpLogger): UnusedSetting[] {
  const named = ["loki", "elasticsearch", "clickhouse", "otlp"].filter((name) => name !== format);
  return named.map((field) => ({ field, because: `format is ${format}` }));
}
