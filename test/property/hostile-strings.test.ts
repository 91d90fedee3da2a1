import "../../plugins/index.js";
import "../../plugins/runtime.js";
import { compileFunction } from "node:vm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { emitMetadata, emitModule } from "../../compiler/5-emit/module.js";
import { foreignNameReason } from "../../compiler/6-check/names.js";
import type {
  Condition,
  HeaderAction,
  Operator,
  PlannedPipeline,
  RecordField,
  Step,
  Text,
} from "../../compiler/model/plan.js";
import type { CaptchaData } from "../../plugins/captcha/index.js";
import type { ProxyRewriteData } from "../../plugins/proxy-rewrite/view.js";
import type { ResponseRewriteData } from "../../plugins/response-rewrite/view.js";
import type { PluginMetadataModule } from "../../runtime/abi/exchange.js";
import * as runtime from "../../runtime/abi/index.js";
import { loadableOf } from "../../runtime/abi/loadable.js";
import { pluginCalls } from "../../runtime/abi/plugin-runtime.js";
import type { PipelineModule } from "../../runtime/abi/route-module.js";
import { utf8 } from "../../runtime/abi/text/bytes.js";
import { recordText } from "../../runtime/abi/text/record-text.js";
import { RecordRedactor } from "../../runtime/logging/record-redactor.js";
import { recordingExchange } from "./recording-exchange.js";

// Any text of a configuration is data in the generated module: the module loads, names nothing but the
// runtime, and its phases return exactly the configured text.

const ATTACKS = [
  '"); process.exit(1); ("',
  "`${process.exit(1)}`",
  "${x.constructor.constructor('return process')()}",
  "*/ process.exit(1) /*",
  "\n// line\rbreak\u2028\u2029",
  "\\",
  '\\"',
  "\\u0022",
  "$&$1$$`'",
  "</script>",
  "\u202e\u200b\ufeff\0\x7f\x85",
  "\ud800",
  "/;alert(1)//",
  "[/]",
  "__proto__",
];
const part = fc.oneof(fc.constantFrom(...ATTACKS), fc.string({ unit: "binary" }), fc.string());
const hostile = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("") || "x");

function load(pipeline: PlannedPipeline): PipelineModule {
  const meta = { version: "1", planHash: "0123456789", source: pipeline.origin };
  const { typescript } = emitModule(pipeline, meta);
  const loadable = loadableOf(typescript);
  expect(foreignNameReason(loadable)).toBeNull();
  const own = (text: string) =>
    text.split("\n").filter((line) => !/gwc\/(?:runtime|plugins\/[a-z-]+)"|defineRoute\(\{$/.test(line));
  expect(own(typescript)).toEqual(own(loadable));
  const module: { exports: unknown } = { exports: undefined };
  compileFunction(loadable, ["require", "module"])((name: string) => {
    const found = name === "gwc/runtime" ? runtime : pluginCalls(name);
    expect(found, name).toBeDefined();
    return found;
  }, module);
  return module.exports as PipelineModule;
}

const pipeline = (text: string, steps: Step[], match: Condition | null = null): PlannedPipeline => ({
  kind: "route",
  id: text,
  origin: text,
  title: text,
  match,
  steps,
});
const step = (plugin: string, phase: Step["phase"], data: unknown, origin = "a:1:1"): Step => ({
  plugin,
  phase,
  origin,
  filter: null,
  data,
});
const action = (kind: HeaderAction["action"], name: string, value: Text): HeaderAction => ({
  action: kind,
  name,
  values: kind === "remove" ? [] : [value],
  origin: name,
});
const rewriting = (data: Partial<ProxyRewriteData>): ProxyRewriteData => ({
  uri: null,
  uriRules: [],
  raw: false,
  headers: [],
  method: null,
  host: null,
  ...data,
});
const answering = (data: Partial<ResponseRewriteData>): ResponseRewriteData => ({
  vars: null,
  varsOrigin: null,
  status: null,
  body: null,
  filters: [],
  maxBytes: null,
  oversize: "refuse",
  headers: [],
  ...data,
});

/** The record of a generated metadata module. */
function recordOf(name: string, plugin: string, fields: RecordField[]): Record<string, unknown> {
  const plan = { plugin, origin: name, record: fields, extra: fields, settings: { [name]: name } };
  const loadable = loadableOf(
    emitMetadata(plan, { version: "1", planHash: "0123456789", source: name }).typescript,
  );
  expect(foreignNameReason(loadable)).toBeNull();
  const module: { exports: unknown } = { exports: undefined };
  compileFunction(loadable, ["require", "module"])(() => runtime, module);
  const metadata = module.exports as PluginMetadataModule;
  const shown = new RecordRedactor({ headers: [], query: [] });
  const record = metadata.record?.(recordingExchange(), shown) ?? "";
  expect(record).not.toContain("\n");
  expect(Object.keys(metadata.settings)).toEqual([name]);
  expect(metadata.id).toBe(plugin);
  expect(JSON.parse(recordText(metadata.extra?.(recordingExchange(), shown) ?? {}))).toEqual(
    JSON.parse(record),
  );
  return JSON.parse(record) as Record<string, unknown>;
}

const own = (record: unknown, name: string) =>
  Object.getOwnPropertyDescriptor(record, name)?.value as unknown;

describe("hostile texts in generated modules", () => {
  it("hostile names and values of log formats stay data", () => {
    fc.assert(
      fc.property(hostile, hostile, hostile, (name, written, plugin) => {
        const [key, value] = [utf8(name), utf8(written)];
        const record = recordOf(written, plugin, [
          { name: key, value: { literal: value } },
          { name: `${key}1`, value: { text: [{ literal: value }, { variable: "remote_addr" }] } },
          { name: `${key}2`, value: { variable: "arg_none", fallback: value } },
          { name: `${key}3`, value: { fields: [{ name: key, value: { literal: value } }] } },
          { name: `${key}4`, value: { variable: "consumer_name", otherwise: { literal: value } } },
          { name: `${key}5`, value: { variable: `http_${name}`, fallback: value } },
        ]);
        expect(own(record, key)).toBe(value);
        expect(own(record, `${key}1`)).toBe(`${value}192.0.2.1`);
        for (const suffix of ["2", "4", "5"]) expect(own(record, key + suffix)).toBe(value);
        expect(own(own(record, `${key}3`), key)).toBe(value);
        expect(Object.getPrototypeOf(record)).toBe(Object.prototype);
      }),
    );
  });

  it("hostile settings of a captcha stay data", async () => {
    await fc.assert(
      fc.asyncProperty(hostile, hostile, async (text, refusal) => {
        const data: CaptchaData = {
          ...{
            version: text,
            url: text,
            siteKey: text,
            apiKey: text,
            field: text,
            header: text,
            policy: text as CaptchaData["policy"],
          },
          ...{ methods: [text, "POST"], tokenFrom: ["header"], pointer: [text, refusal] },
          ...{ timeoutMs: 1, retries: 0, maxBodyBytes: 1, maxMultipartBytes: 1, rejectStatus: 403 },
          ...{ stripField: true, sendIp: true, ca: text },
        };
        const access = { ...step("captcha", "access", null, text), errorResponse: refusal };
        const resources = [{ plugin: "captcha", origin: refusal, data }];
        const module = load({
          ...pipeline(text, [step("captcha", "rewrite", null, text), access]),
          resources,
        });
        expect(module.resources?.map(({ kind, key }) => [kind, key])).toEqual([
          ["captcha", expect.stringMatching(/^[0-9a-f]{64}$/)],
        ]);
        // The captcha is not open and can verify nothing: a protected request fails, another one passes.
        await expect(module.access?.({ ...recordingExchange(), method: "POST" })).rejects.toThrow("not open");
        const other = `not ${text}`;
        expect(await module.access?.({ ...recordingExchange(), method: other })).toBeUndefined();
      }),
    );
  });

  it("hostile ids, titles, origins, hosts, methods and header actions stay data", () => {
    fc.assert(
      fc.property(hostile, hostile, (name, written) => {
        const value = utf8(written);
        const headers = [
          action("add", name, [{ literal: value }]),
          action("remove", name, []),
          action("set", name, [{ literal: value }, { variable: "remote_addr" }, { literal: value }]),
          action("set", name, [{ variable: "arg_q", fallback: value }]),
        ];
        const data = rewriting({ host: written, method: written, headers });
        const module = load(pipeline(written, [step("proxy-rewrite", "rewrite", data, written)]));
        const x = recordingExchange();
        module.rewrite?.(x);
        expect(module.id).toBe(written);
        expect(x.upstream).toMatchObject({ host: written, method: written });
        const clean = runtime.fieldText(value);
        expect(x.calls).toEqual([
          ...(clean === "" ? [] : [["prepend", name, clean]]),
          ["delete", name.toLowerCase()],
          ["set", name, `${value}192.0.2.1${value}`],
          ["set", name, value],
        ]);
      }),
    );
  });

  it("hostile bodies, replacements and patterns stay data", () => {
    fc.assert(
      fc.property(hostile, hostile, fc.boolean(), (body, replacement, unicode) => {
        const source = Array.from(body, (c) => `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`).join("");
        const bytes = utf8(body);
        const byteSource = Array.from(
          bytes,
          (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, "0")}`,
        ).join("");
        const regex = {
          pattern: body,
          options: "",
          source: unicode ? source : byteSource,
          flags: unicode ? "u" : "",
          utf8: unicode,
          engine: "backtracking" as const,
          cost: body,
        };
        const parts = [{ literal: utf8(replacement) }, { capture: 0 }, { literal: "7" }];
        const flow = { mode: "hold", reason: body } as const;
        const filters = [{ regex, replacement: parts, scope: "global" as const, flow, origin: body }];
        const replacing = load(
          pipeline(body, [step("response-rewrite", "headerFilter", answering({ body: bytes }))]),
        );
        const filtering = load(
          pipeline(body, [step("response-rewrite", "headerFilter", answering({ filters }))]),
        );
        const x = recordingExchange();
        replacing.headerFilter?.(x);
        filtering.headerFilter?.(x);
        expect(x.body).toBe(bytes);
        const wellFormed = Buffer.from(body).toString() === body || !unicode;
        if (wellFormed) expect(x.filter?.apply(bytes)).toBe(`${utf8(replacement)}${bytes}7`);
      }),
    );
  });

  it("hostile values in conditions stay data for each operator that takes a text, pattern or list", () => {
    fc.assert(
      fc.property(hostile, (written) => {
        const value = utf8(written);
        const compare = (variable: string, operator: Operator, operand: object): Condition =>
          ({ kind: "compare", variable, operator, negated: false, operand, origin: written }) as Condition;
        const hex = Buffer.from(value, "latin1").toString("hex");
        const regex = {
          ...{ pattern: written, options: "", source: `^${hex.replace(/../g, "\\x$&")}$`, flags: "" },
          ...{ utf8: false, engine: "backtracking", cost: written },
        };
        const items = [
          compare("arg_q", "==", { kind: "text", value }),
          compare("arg_q", "~=", { kind: "text", value: `${value}?` }),
          compare("arg_q", "~~", { kind: "regex", regex }),
          compare("arg_q", "~*", { kind: "regex", regex: { ...regex, flags: "i" } }),
          compare("remote_addr", "ipmatch", { kind: "addresses", values: ["192.0.2.0/24"] }),
          compare("arg_q", "in", { kind: "list", values: [value, "b", "c", 4] }),
          compare(`http_${written}`, "==", { kind: "null" }),
        ];
        const module = load(pipeline(written, [], { kind: "and", items }));
        const x = recordingExchange();
        x.args = value;
        expect(module.match?.(x)).toBe(true);
        x.args = `${value}!`;
        expect(module.match?.(x)).toBe(false);
      }),
    );
  });

  it("hostile values in request targets become one line of printable ASCII", () => {
    fc.assert(
      fc.property(hostile, fc.boolean(), (written, raw) => {
        const value = utf8(written);
        const template = { path: [{ literal: "/a" }, { variable: "arg_q" }], query: [{ variable: "arg_q" }] };
        const data = rewriting({ uri: template, raw });
        const x = recordingExchange();
        x.args = value;
        load(pipeline(written, [step("proxy-rewrite", "rewrite", data)])).rewrite?.(x);
        if (!raw) expect(x.upstream.target).toMatch(/^\/a[^?]*\?/);
        expect(x.upstream.target.slice(0, -value.length)).toMatch(/^[\x21-\x7e]*$/);
      }),
    );
  });
});
