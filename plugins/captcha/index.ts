import {
  bodyWords,
  type Code,
  diagnostic,
  type PlanContext,
  type PluginDefinition,
  type PluginPrinter,
  type PluginSettings,
  reportAbsentField,
  type Sources,
  type TypedStep,
  byteString as utf8,
} from "../../compiler/plugin-api.js";
import { KINDS, SECTION } from "./configuration.js";
import { DIAGNOSTICS } from "./diagnostics.js";
import { FORMATS } from "./formats.js";
import { RESERVED } from "./reserved-headers.js";
import { TABLE } from "./resources.js";
import { DEFAULTS } from "./runtime/defaults.gen.js";
import type { CaptchaCheckSettings } from "./runtime/settings.js";
import type { Captcha } from "./schema.gen.js";

type Place = Captcha["token_from"][number];
type Settled = PluginSettings<Captcha>;

/** Input of the check and of the oracle. */
export type CaptchaData = {
  -readonly [Name in keyof CaptchaCheckSettings]: CaptchaCheckSettings[Name] extends readonly (infer Item)[]
    ? Item[]
    : CaptchaCheckSettings[Name];
};

const SOURCES: Sources = {
  url: ["captcha_url"],
  version: ["api_key"],
  timeoutMs: ["timeout"],
  pointer: [["json_pointer"], ["field"]],
};

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;
/** Methods whose requests usually have no body. */
const BODILESS = ["GET", "HEAD", "OPTIONS"];

export const captcha: PluginDefinition<Captcha, null, CaptchaData> = {
  name: "captcha",
  priority: 2450,
  moduleUrl: import.meta.url,
  phases: ["rewrite", "access"],
  exports: { captcha: ["resource", "clean", "rejects"] },
  reservedHeaders: RESERVED,
  // Tokens arrive at every route of a site whose forms are protected, and visitors' addresses at the service.
  defaultMasks: { headers: ["x-captcha-token"], query: ["captcha-token", "/verify?ip"] },
  kinds: KINDS,
  sections: [SECTION],
  table: TABLE,
  formats: FORMATS,
  diagnostics: DIAGNOSTICS,
  asyncAccess: true,
  resourceConstant: "captchaCheck",
  plan(settings, context) {
    const url = urlOf(settings, context);
    reportTransport(settings, context);
    reportPlaces(settings, context);
    reportIdle(settings, context);
    context.setsStatus(settings.value.reject_status, ["reject_status"]);
    context.resource(planData(settings.value, url, context));
    const origin = context.origin([]);
    return [
      { phase: "rewrite", origin, data: null },
      { phase: "access", origin, data: null },
    ];
  },
  describe: ({ phase, errorResponse }, kept) =>
    phase === "access" && kept !== undefined ? described(kept, errorResponse) : [],
  resource: (data, printer) => resourceCode(data, printer),
  view: (step, printer) => ({ captcha: printer.resource(), arguments: argumentsOf(step, printer) }),
};

function described(
  { methods, tokenFrom, siteKey, url, policy, rejectStatus }: CaptchaData,
  errorResponse: string | undefined,
): string[] {
  const absent = policy === "fail-open" ? "lets the request pass" : "answers 503";
  return [
    `looks for a captcha token of ${siteKey} in ${tokenFrom.join(", ")} of ${methods.join(", ")} requests, asks ${url} about it, and answers ${rejectStatus}${bodyWords(errorResponse)} without a good one`,
    `${absent} when ${url} gives no verdict`,
  ];
}

/** Default in the schema of the section. */
const OWN_PORT = 9088;
const WILDCARDS: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

/** `captcha_url`, otherwise the URL of this configuration's own captcha. */
function urlOf({ value: { captcha_url: written } }: Settled, context: PlanContext): string {
  if (written !== undefined) return written.replace(/\/$/, "");
  const { ip = "127.0.0.1", port = OWN_PORT } = context.serviceListener ?? {};
  // Chosen by the system, or by a variable.
  if (port === 0 || typeof port === "string" || ip.includes("${{"))
    context.report(
      diagnostic("GW4324", context.span, {
        listen: port === 0 ? "captcha.listen.port is 0" : "captcha.listen has a variable",
      }),
    );
  const host = WILDCARDS[ip] ?? ip;
  const known = typeof port === "number" && port > 0 ? port : OWN_PORT;
  return `http://${host.includes(":") ? `[${host}]` : host}:${known}`;
}

function planData(value: Captcha, url: string, context: PlanContext): CaptchaData {
  const { reference, version } = context.secret(value.api_key, ["api_key"]);
  const { field } = value;
  return {
    url,
    siteKey: value.site_key,
    timeoutMs: value.timeout,
    retries: value.retries,
    ca: value.ca ?? null,
    apiKey: reference,
    version: version === reference ? null : version,
    methods: value.methods,
    tokenFrom: value.token_from,
    field,
    header: value.header.toLowerCase(),
    pointer: value.json_pointer === undefined ? [field] : pointerNames(value.json_pointer),
    maxBodyBytes: value.max_body_bytes,
    maxMultipartBytes: value.max_multipart_bytes,
    stripField: value.strip_field,
    sendIp: value.send_ip,
    policy: value.policy,
    rejectStatus: value.reject_status,
  };
}

/** RFC 6901 section 4. */
function pointerNames(pointer: string): string[] {
  return pointer
    .slice(1)
    .split("/")
    .map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function resourceCode(data: CaptchaData, printer: PluginPrinter): Code {
  const fields = printer.settings(data, DEFAULTS, SOURCES);
  return printer.code`${printer.imported("captcha")}(${printer.object(fields, SOURCES)})`;
}

const ERROR_RESPONSE = ["_meta", "error_response"];

/** `_meta.error_response` replaces the body. */
function argumentsOf({ errorResponse }: TypedStep<null>, printer: PluginPrinter): Code[] {
  const { bytes, code, from, literal } = printer;
  // The call has the plugin's config path, whatever its result.
  const x = from([], code`x`);
  if (errorResponse === undefined) return [x];
  const type = errorResponse.startsWith("{") ? "application/json" : "text/plain";
  return [x, from(ERROR_RESPONSE, bytes(utf8(errorResponse), "captchaErrorBody")), literal(type)];
}

/** Without TLS others could read the key and every token. */
function reportTransport({ value: { captcha_url: url = "" }, spans }: Settled, context: PlanContext): void {
  const host = /^http:\/\/(\[[^\]]*\]|[^:/]*)/i.exec(url)?.[1];
  if (host !== undefined && !LOOPBACK.test(host.toLowerCase()))
    context.report(diagnostic("GW4321", spans.value(["captcha_url"]), { host }));
}

function reportPlaces({ value, spans }: Settled, context: PlanContext): void {
  const { methods, token_from: places } = value;
  if (places.includes("header")) {
    const help = "use another field: no request has a token in this one";
    reportAbsentField(value.header, () => spans.value(["header"]), help, context.report);
    return;
  }
  for (const [i, method] of methods.entries())
    if (BODILESS.includes(method))
      context.report(diagnostic("GW4322", spans.value(["methods", i]), { method }));
}

function reportIdle({ value, written, spans }: Settled, context: PlanContext): void {
  const places = value.token_from;
  const without = (field: keyof Captcha, ...needed: Place[]) => {
    if (written[field] === undefined || needed.some((place) => places.includes(place))) return;
    const because = `token_from does not contain ${needed.join(" or ")}`;
    context.report(diagnostic("GW4323", spans.key([field]), { field, because }));
  };
  if (value.ca !== undefined && !/^https:/i.test(value.captcha_url ?? ""))
    context.report(
      diagnostic("GW4323", spans.key(["ca"]), { field: "ca", because: "captcha_url is not https" }),
    );
  without("json_pointer", "json");
  without("header", "header");
  without("max_body_bytes", "form", "json");
  without("max_multipart_bytes", "multipart");
  without("field", "form", "multipart", "json");
}
