import { isObject } from "../../runtime/abi/json-object.js";
import { pluginSchemaFile, schemaFile } from "../../schema/schemas.js";
import { ERROR_RANK, pluginErrorPrefix } from "../diagnostics/admin-text.js";
import { nearest } from "../diagnostics/nearest.js";
import { diagnostic } from "../diagnostics/report.js";
import type { Diagnostic } from "../model/diagnostic.js";
import type { Spanned } from "../model/source.js";
import { findPlugin } from "../plugin/registry.js";
import { TimeExceededError } from "../plugin/time-limit.js";
import { below, check } from "./check.js";
import type { Subject } from "./describe.js";
import { fixed, renameFix } from "./fixes.js";
import { MAX_FAULTS } from "./schema-faults.js";

const META = "parts/plugin-meta.json";

/** @param located settings by plugin name */
export function validatePlugins(
  located: Spanned<Record<string, unknown>>,
  use: "route" | "consumer",
  plugins: readonly string[],
): Diagnostic[] {
  const fileOf = (name: string) => (plugins.includes(name) ? pluginSchemaFile(name, use) : undefined);
  let unknown = 0;
  const found = Object.entries(located.value).flatMap(([name, settings]) => {
    const file = fileOf(name);
    if (file !== undefined) return validatePlugin(name, settings, { file, use, located });
    unknown += 1;
    return unknown > MAX_FAULTS ? [] : [unknownPlugin(name, located, plugins)];
  });
  if (unknown > MAX_FAULTS)
    found
      .findLast(({ code }) => code === "GW2114")
      ?.notes.push({ message: `and ${unknown - MAX_FAULTS} more` });
  return found;
}

function validatePlugin(
  name: string,
  settings: unknown,
  { file, use, located }: { file: string; use: "route" | "consumer"; located: Spanned },
): Diagnostic[] {
  const errorPrefix = pluginErrorPrefix(name);
  if (use === "consumer" && !isCredential(name) && !isDisabled(settings)) {
    const found = diagnostic("GW2113", located.spans.key([name]), { name });
    return [{ ...found, errorMessage: errorPrefix + found.message, errorRank: ERROR_RANK.plugin }];
  }
  const subject = { errorPrefix, checkedAs: "plugin" } as const;
  if (isDisabled(settings))
    return check(META, { ...subject, located: below(located, [name, "_meta"]), root: `"_meta"` });
  return checkOf(name, file, {
    ...subject,
    located: below(located, [name]),
    root: `plugin "${name}"`,
  });
}

/** Patterns in a file of a package may never end. */
export function checkOf(plugin: string, file: string, subject: Subject): Diagnostic[] {
  const from = findPlugin(plugin)?.package;
  if (from === undefined || !hasPatterns(schemaFile(file).node)) return check(file, subject);
  try {
    return from.limit.run(() => check(file, subject));
  } catch (error) {
    if (!(error instanceof TimeExceededError)) throw error;
    const names = { plugin, package: from.name, step: "the check by its schema" };
    const finding = error.diagnostic(names, subject.located.spans.value([]));
    const errorMessage = `${subject.errorPrefix}${finding.message}`;
    return [{ ...finding, errorMessage, errorRank: ERROR_RANK.plugin }];
  }
}

function hasPatterns(node: unknown): boolean {
  if (typeof node !== "object" || node === null) return false;
  return Object.hasOwn(node, "pattern") || Object.values(node).some(hasPatterns);
}

/** Other gateways often have these plugins; docs/migration.md names each. */
export const ELSEWHERE: ReadonlySet<string> = new Set(
  (
    "acl basic-auth jwt-auth jwt oauth2 openid-connect forward-auth hmac-auth ldap-auth opa cors csrf ip-restriction ua-restriction " +
    "referer-restriction uri-blocker request-validation limit-req limit-conn limit-count rate-limiting response-ratelimiting " +
    "proxy-cache proxy-mirror proxy-control proxy-buffering fault-injection mocking traffic-split api-breaker gzip brotli " +
    "grpc-transcode grpc-web request-transformer response-transformer request-id correlation-id request-termination " +
    "real-ip server-info prometheus zipkin skywalking opentelemetry datadog http-logger tcp-logger udp-logger file-log http-log " +
    "tcp-log udp-log kafka-logger rocketmq-logger clickhouse-logger elasticsearch-logger loki-logger file-logger google-cloud-logging " +
    "splunk-hec-logging sls-logger loggly error-log-logger serverless-pre-function serverless-post-function pre-function post-function " +
    "ext-plugin-pre-req ext-plugin-post-req workflow batch-requests public-api node-status bot-detection body-transformer degraphql ai-proxy"
  ).split(" "),
);

export function unknownPlugin(name: string, located: Spanned, plugins: readonly string[]): Diagnostic {
  const near = nearest(name, plugins);
  const known = `known plugins: ${[...plugins].sort().join(", ")}`;
  const elsewhere = ELSEWHERE.has(name)
    ? `other gateways have it, gwc does not: "Plugins that are not here" in docs/migration.md says what takes its place, docs/plugin-guide.md how to write one; ${known}`
    : known;
  const help = near === undefined ? elsewhere : `did you mean "${near}"?`;
  const fix = near === undefined ? undefined : renameFix(located, [], name, near);
  const finding = diagnostic("GW2114", located.spans.key([name]), { name }, { help, ...fixed(fix) });
  return { ...finding, errorMessage: `unknown plugin [${name}]`, errorRank: ERROR_RANK.plugin };
}

/** A plugin that authenticates has a separate schema for its settings of consumers. */
function isCredential(name: string): boolean {
  return pluginSchemaFile(name, "consumer") !== pluginSchemaFile(name, "route");
}

/** Reports whether `_meta.disable` is set. The plugin may be unfinished, and overrides those below it. */
export function isDisabled(settings: unknown): boolean {
  return isObject(settings) && isObject(settings["_meta"]) && settings["_meta"]["disable"] === true;
}
