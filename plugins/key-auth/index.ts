import { createHash } from "node:crypto";
import {
  bodyWords,
  byteString,
  type Code,
  type ConsumerKey,
  configPath,
  diagnostic,
  environmentReferences,
  type PlanContext,
  type PluginDefinition,
  type PluginPrinter,
  type ResolvedPlugin,
  reportAbsentField,
  reportSharedKeys,
  type TypedStep,
} from "../../compiler/plugin-api.js";
import type { KeyAuth } from "./schema.gen.js";

/** Keys are digests, or references to the environment. */
export interface KeyAuthData {
  header: string;
  query: string;
  /** Removes the key from the request before it is sent upstream. */
  hide: boolean;
  /** Sorted by username. `key` is "sha256:<hex>", or a text with `${{VAR}}` that the host resolves. */
  consumers: { username: string; key: string }[];
}

const NAME = "key-auth";

/** A 401 must name a scheme (RFC 9110 section 11.6.1); browsers show no prompt for an unknown one. */
const CHALLENGE = 'ApiKey realm="gateway"';

export const keyAuth: PluginDefinition<KeyAuth, KeyAuthData> = {
  name: NAME,
  priority: 2500,
  moduleUrl: import.meta.url,
  phases: ["access"],
  exports: { consumerKeys: ["find"] },
  authenticates: true,
  consumerKey,
  plan({ value, spans }, context) {
    const { header, query, hide_credentials: hide } = value;
    const help = "name another field: no request has a key in this one";
    reportAbsentField(header, () => spans.value(["header"]), help, context.report);
    const data: KeyAuthData = { header, query, hide, consumers: planConsumers(context) };
    return [{ phase: "access", origin: context.origin([]), data }];
  },
  describe: ({ errorResponse, data: { header, query, hide, consumers } }) => [
    `answers 401${bodyWords(errorResponse)} unless the header ${header} or the query parameter ${query} has the key of a consumer (${consumers.length} known)`,
    ...(hide ? ["takes the key out of the request"] : []),
  ],
  view,
};

function planConsumers(context: PlanContext): KeyAuthData["consumers"] {
  const found = context.consumers.flatMap(({ username, plugins }) => {
    const key = plugins.map(consumerKey).find((one) => one !== undefined);
    return key === undefined ? [] : [{ username, key: key.text }];
  });
  if (found.length === 0 && !context.consumers.some(({ invalid }) => invalid))
    context.report(diagnostic("GW4301", context.span));
  reportSharedKeys(context.consumers, consumerKey, (finding) => context.report(finding));
  return found;
}

function consumerKey({ name, config }: ResolvedPlugin): ConsumerKey | undefined {
  const { key } = config.value;
  if (name !== NAME || typeof key !== "string") return undefined;
  return { text: stored(key), span: config.spans.value(["key"]) };
}

/** Digest, or the reference that the host resolves. A key never enters the plan. */
function stored(key: string): string {
  if (environmentReferences(key).length > 0) return key;
  return `sha256:${createHash("sha256").update(byteString(key), "latin1").digest("hex")}`;
}

function view(step: TypedStep<KeyAuthData>, printer: PluginPrinter): Record<string, unknown> {
  const { code, from, literal } = printer;
  const { data } = step;
  const pairs = data.consumers.map(({ username, key }) =>
    from(keyOrigin(username), code`[${literal(username)}, ${literal(key)}]`),
  );
  const table = from([], printer.call(printer.imported("consumerKeys"), pairs));
  return {
    consumers: printer.constant("consumers", table, step.origin),
    header: from(["header"], literal(data.header.toLowerCase())),
    query: from(["query"], literal(data.query)),
    refusal: refusal(step.errorResponse, printer),
    contentType: isJson(step.errorResponse) ? "application/json" : "text/plain",
    challenge: CHALLENGE,
    request: data.hide ? from(["hide_credentials"], code`x.upstream`) : null,
    withoutParameter: data.hide ? printer.imported("withoutParameter") : null,
  };
}

const keyOrigin = (username: string) =>
  configPath({ kind: "consumers", id: username }, ["plugins", NAME, "key"]);

/** APISIX's two bodies, or the replacement by `_meta.error_response`. */
function refusal(replaced: string | undefined, printer: PluginPrinter): Code {
  const { bytes, code, constant, from, literal } = printer;
  if (replaced !== undefined)
    return from(["_meta", "error_response"], bytes(byteString(replaced), "keyErrorBody"));
  const missing = constant("missingKey", literal('{"message":"Missing API key in request"}\n'));
  const wrong = constant("wrongKey", literal('{"message":"Invalid API key in request"}\n'));
  return code`key === undefined ? ${missing} : ${wrong}`;
}

function isJson(body: string | undefined): boolean {
  return body === undefined || body.startsWith("{");
}
