import { createHash } from "node:crypto";
import { diagnostic } from "../../compiler/diagnostics/report.js";
import type { Json, JsonObject } from "../../compiler/log/plan.js";
import type { Located } from "../../compiler/parse/source.js";
import { byteString } from "../../compiler/plan/bytes.js";
import { canonicalJson } from "../../compiler/plan/canonical.js";
import type { Step } from "../../compiler/plan/plan.js";
import type { Code, PlanContext, PluginDefinition, PluginPrinter } from "../../compiler/plugin/definition.js";

type Place = "form" | "multipart" | "json" | "header";

/** The settings as `schema.json` lets them through. */
interface Settings {
  captcha_url?: string;
  site_key: string;
  api_key: string;
  ca?: string;
  methods?: string[];
  token_from?: Place[];
  field?: string;
  json_pointer?: string;
  header?: string;
  strip_field?: boolean;
  max_body_bytes?: number;
  max_multipart_bytes?: number;
  send_ip?: boolean;
  timeout?: number;
  retries?: number;
  policy?: "fail-closed" | "fail-open";
  reject_status?: number;
}

/** `CaptchaCheckSettings` of the runtime: what the check is made with, and what the oracle reads. */
export interface CaptchaData extends JsonObject {
  key: string;
  url: string;
  siteKey: string;
  /** Reference of the secret. */
  apiKey: string;
  timeoutMs: number;
  retries: number;
  /** null: the system's authorities are trusted. */
  ca: string | null;
  methods: string[];
  tokenFrom: Place[];
  field: string;
  header: string;
  pointer: string[];
  maxBodyBytes: number;
  maxMultipartBytes: number;
  stripField: boolean;
  sendIp: boolean;
  policy: string;
  rejectStatus: number;
}

type Settled = Located<Record<string, unknown>>;

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;
/** Methods whose requests usually have no body. */
const BODILESS = ["GET", "HEAD", "OPTIONS"];

export const captcha: PluginDefinition = {
  name: "captcha",
  priority: 2450,
  at: import.meta.url,
  phases: ["rewrite", "access"],
  calls: { captcha: ["resource", "clean", "refuses"] },
  waits: true,
  keeps: "captchaCheck",
  plan(settings, context) {
    const value = settings.value as unknown as Settings;
    reportTransport(value, settings, context);
    reportMethods(value, settings, context);
    reportIdle(value, settings, context);
    context.resource(planData(value, context));
    const origin = context.origin([]);
    return [
      { phase: "rewrite", origin, data: null },
      { phase: "access", origin, data: null },
    ];
  },
  resource: (data, printer) => resourceCode(data as CaptchaData, printer),
  view: (step, printer) => ({ captcha: printer.resource(), arguments: argumentsOf(step, printer) }),
};

function planData(value: Settings, context: PlanContext): CaptchaData {
  const { reference, version } = context.secret(value.api_key, ["api_key"]);
  const field = value.field ?? "captcha-token";
  const destination = {
    url: (value.captcha_url ?? "http://127.0.0.1:9088").replace(/\/$/, ""),
    siteKey: value.site_key,
    timeoutMs: value.timeout ?? 2000,
    retries: value.retries ?? 1,
    ca: value.ca ?? null,
  };
  const key = createHash("sha256")
    .update(canonicalJson({ ...destination, version }))
    .digest("hex");
  return {
    key,
    ...destination,
    apiKey: reference,
    methods: value.methods ?? ["POST", "PUT", "PATCH", "DELETE"],
    tokenFrom: value.token_from ?? ["form", "multipart", "json"],
    field,
    header: (value.header ?? "X-Captcha-Token").toLowerCase(),
    pointer: value.json_pointer === undefined ? [field] : pointerNames(value.json_pointer),
    maxBodyBytes: value.max_body_bytes ?? 65_536,
    maxMultipartBytes: value.max_multipart_bytes ?? 1_048_576,
    stripField: value.strip_field ?? true,
    sendIp: value.send_ip ?? true,
    policy: value.policy ?? "fail-closed",
    rejectStatus: value.reject_status ?? 403,
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
  const fields = Object.entries(data).map(([name, value]) => [name, printer.data(value as Json)] as const);
  return printer.code`${printer.imported("captcha")}(${printer.object(fields)})`;
}

/** What `refuses` is called with: `_meta.error_response` takes the place of the body. */
function argumentsOf({ errorResponse }: Step, { code, literal, bytes }: PluginPrinter): Code[] {
  const x = code`x`;
  if (errorResponse === undefined) return [x];
  const type = errorResponse.startsWith("{") ? "application/json" : "text/plain";
  return [x, bytes(byteString(errorResponse), "refusal"), literal(type)];
}

/** The key and every token would be read on the way. */
function reportTransport({ captcha_url: url }: Settings, { spans }: Settled, context: PlanContext): void {
  const host = /^http:\/\/(\[[^\]]*\]|[^:/]*)/i.exec(url ?? "")?.[1];
  if (host !== undefined && !LOOPBACK.test(host.toLowerCase()))
    context.report(diagnostic("GW4321", spans.value(["captcha_url"]), { host }));
}

function reportMethods(
  { methods = [], token_from: places = [] }: Settings,
  { spans }: Settled,
  context: PlanContext,
): void {
  if (places.includes("header")) return;
  for (const [i, method] of methods.entries())
    if (BODILESS.includes(method))
      context.report(diagnostic("GW4322", spans.value(["methods", i]), { method }));
}

function reportIdle(settings: Settings, { value, spans }: Settled, context: PlanContext): void {
  const places = settings.token_from ?? ["form", "multipart", "json"];
  const without = (field: string, ...needed: Place[]) => {
    if (value[field] === undefined || needed.some((place) => places.includes(place))) return;
    const because = `token_from does not name ${needed.join(" or ")}`;
    context.report(diagnostic("GW4323", spans.key([field]), { field, because }));
  };
  if (settings.ca !== undefined && !/^https:/i.test(settings.captcha_url ?? ""))
    context.report(
      diagnostic("GW4323", spans.key(["ca"]), { field: "ca", because: "captcha_url is not https" }),
    );
  without("json_pointer", "json");
  without("header", "header");
  without("max_body_bytes", "form", "json");
  without("max_multipart_bytes", "multipart");
  without("field", "form", "multipart", "json");
}
