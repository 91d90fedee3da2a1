import { randomBytes } from "node:crypto";
import type { Destination, LogEntry, Logger } from "../abi/delivery.js";
import { messageOf } from "../abi/error-message.js";
import type { Exchange, PluginMetadataModule } from "../abi/exchange.js";
import { DURABLE_DEFAULTS } from "../abi/logger-defaults.gen.js";
import { openSink } from "../abi/plugin-runtime.js";
import type { ResourceContext, SharedResource } from "../abi/resource.js";
import { runToCompletion, type Steps } from "../http/time-slice.js";
import { BodyMasks } from "./body-masks.js";
import { beginningOf, type LoggedBody, loggedBody } from "./body-text.js";
import { delivering } from "./delivered.js";
import { LogOutput, MemoryLogOutput, SpoolLogOutput } from "./log-output.js";
import type { BodySettings, LoggerSettings } from "./logger-settings.js";
import { Placeholders } from "./placeholders.js";
import { RecordRedactor } from "./record-redactor.js";
import { type RedactedNames, redactedTarget, redactedValue } from "./redaction.js";
import { Sampler } from "./sampler.js";
import { hasRoom, runInSlices } from "./sliced-work.js";
import { openSpool } from "./spool/writer.js";

/** Makes the entry of a record, or of an origin text, in the log or the acknowledge phase. */
export type MakeEntry = (x: Exchange, record: string) => LogEntry;

const NOT_KEPT = '{"error_msg":"cannot store the log record of this request"}\n';

/** Random prefix of the process for record ids; a counter follows. */
const ID_PREFIX = `${randomBytes(8).toString("hex")}-`;
let lastId = 0;

/**
 * Creates the logger of a plugin, whose registered runtime opens the sink (`PluginRuntime.openSink`). Has no
 * effect until its resource is opened.
 * @param kind name of the plugin
 * @param makeEntry Default: an entry is the record alone.
 */
export function makeLogger<Settings extends object>(
  kind: string,
  settings: LoggerSettings<Settings>,
  makeEntry: MakeEntry = (_, payload) => ({ payload }),
): Logger {
  return new ShippingLogger(kind, settings, makeEntry);
}

class ShippingLogger<Settings extends object> implements Logger {
  readonly resource: SharedResource;
  readonly #kind: string;
  readonly #settings: LoggerSettings<Settings>;
  readonly #makeEntry: MakeEntry;
  readonly #masking: RecordRedactor;
  readonly #sampler: Sampler | undefined;
  #output: LogOutput | undefined = undefined;
  #metadata: PluginMetadataModule | undefined = undefined;
  /** Exchanges whose record is safe or in flight (`ack: response`). */
  readonly #acknowledged = new WeakSet<Exchange>();
  /** Exchanges rejected with 503 because their record could not be stored. */
  readonly #refused = new WeakSet<Exchange>();

  constructor(kind: string, settings: LoggerSettings<Settings>, makeEntry: MakeEntry) {
    this.#kind = kind;
    this.#settings = settings;
    this.#makeEntry = makeEntry;
    const { sample, sampleKeyOf, ack, bodyMasks, bodyPatterns = [] } = settings;
    this.#masking = new RecordRedactor(settings.redact, bodyMasks && new BodyMasks(bodyMasks, bodyPatterns));
    this.#sampler = sample && new Sampler(sample, sampleKeyOf, ack === "response");
    const { key, destinationId: id, delivery } = settings;
    this.resource = {
      kind,
      key,
      delivers: { id, delivery },
      ...(delivery === "durable" && { spooled: destinationOf(kind, settings) }),
      open: (context) => openLogOutput(kind, settings, context),
      use: (opened) => {
        if (!(opened instanceof LogOutput))
          throw new TypeError(`the resource ${kind} ${key} is not a log output`);
        this.#output = opened;
      },
    };
  }

  rejectIfFull(x: Exchange): void {
    if (this.#settings.ack !== "response" || this.#output?.admits() !== false) return;
    this.#refused.add(x);
    x.respond(503, NOT_KEPT);
  }

  access(x: Exchange): void {
    const { requestBody } = this.#settings;
    if (requestBody !== undefined) x.captureRequest(this, requestBody.maxBytes);
  }

  headerFilter(x: Exchange): void {
    const { responseBody } = this.#settings;
    if (responseBody !== undefined) x.captureResponse(this, responseBody.maxBytes);
  }

  acknowledge(x: Exchange): void {
    const output = this.#output;
    if (output === undefined || this.#settings.ack !== "response" || this.#refused.has(x)) return;
    if (this.#sampler?.takes(x) === false) return;
    this.#acknowledged.add(x);
    const safe = this.#append(x, output);
    output.expect(safe);
    x.delayEndOfResponse(safe);
  }

  log(x: Exchange): void {
    const output = this.#output;
    if (output === undefined) return;
    try {
      if (this.#settings.ack === "response" && this.#acknowledged.has(x)) return;
      if (this.#sampler?.takes(x) === false) return;
      this.#useMetadata(x, output);
      const series = output.metrics.of(x.routeId, x.serverAddr);
      const entry = this.#entry(x);
      if (!(entry instanceof Promise)) output.take(entry, series);
      else
        output.expect(
          entry.then(
            (made) => output.take(made, series),
            (error: unknown) => this.#failed(x, error),
          ),
        );
    } catch (error) {
      this.#failed(x, error);
    }
  }

  /** A failure fails the response; the log phase tries again without waiting. */
  async #append(x: Exchange, output: LogOutput): Promise<void> {
    try {
      this.#useMetadata(x, output);
      const series = output.metrics.of(x.routeId, x.serverAddr);
      const making = this.#entry(x);
      await output.append(making instanceof Promise ? await making : making, series);
    } catch (error) {
      this.#acknowledged.delete(x);
      throw error;
    }
  }

  #failed(x: Exchange, error: unknown): void {
    this.#output?.report("log_failed", { plugin: this.#kind, route: x.routeId, message: messageOf(error) });
  }

  #useMetadata(x: Exchange, output: LogOutput): void {
    const metadata = x.pluginMetadata(this.#kind);
    if (metadata === this.#metadata) return;
    this.#metadata = metadata;
    const most = metadata?.settings["max_pending_entries"];
    output.limit(typeof most === "number" ? most : undefined);
  }

  /** Returns a promise only if a body has to be decoded, or is long. */
  #entry(x: Exchange): LogEntry | Promise<LogEntry> {
    const { metaFormat, requestBody, responseBody } = this.#settings;
    if (metaFormat === "origin") {
      const body = requestBody === undefined ? undefined : x.captured(this, "request");
      return this.#originEntry(x, body?.text ?? "");
    }
    const request = requestBody && this.#body(x, "request", requestBody);
    const response = responseBody && this.#body(x, "response", responseBody);
    if (request instanceof Promise || response instanceof Promise)
      return this.#decodedEntry(x, request, response);
    return this.#entryWith(x, request, response);
  }

  async #decodedEntry(
    x: Exchange,
    request: LoggedBody | Promise<LoggedBody> | undefined,
    response: LoggedBody | Promise<LoggedBody> | undefined,
  ): Promise<LogEntry> {
    const bodies = await Promise.all([request, response]);
    try {
      return await this.#entryWith(x, ...bodies);
    } finally {
      for (const body of bodies) body?.held?.release();
    }
  }

  #originEntry(x: Exchange, text: string): LogEntry | Promise<LogEntry> {
    const masking = this.#masking;
    const made = (body: string) => this.#makeEntry(x, originText(x, masking.of(x).redact, body));
    const short = masking.atOnce(x);
    if (text.length <= short) return made(runToCompletion(masking.message(x, text)));
    if (!hasRoom(text.length)) return made(runToCompletion(masking.message(x, text.slice(0, short))));
    return runInSlices(masking.message(x, text), text.length).then(made);
  }

  #entryWith(x: Exchange, request?: LoggedBody, response?: LoggedBody): LogEntry | Promise<LogEntry> {
    if (request === undefined && response === undefined) return this.#entryOf(x, this.#record(x));
    const lengths = [request?.text.length ?? 0, response?.text.length ?? 0] as const;
    const short = this.#masking.atOnce(x);
    if (Math.max(...lengths) <= short) return runToCompletion(this.#shortEntry(x, request, response));
    const bytes = lengths[0] + lengths[1];
    if (hasRoom(bytes)) return runInSlices(this.#longEntry(x, request, response), bytes);
    return runToCompletion(
      this.#shortEntry(x, request && beginningOf(request, short), response && beginningOf(response, short)),
    );
  }

  *#shortEntry(x: Exchange, request?: LoggedBody, response?: LoggedBody): Steps<LogEntry> {
    const masking = this.#masking;
    const record = this.#record(
      x,
      request && (yield* masking.body(x, request, "request")),
      response && (yield* masking.body(x, response, "response")),
    );
    return this.#entryOf(x, record);
  }

  *#longEntry(x: Exchange, request?: LoggedBody, response?: LoggedBody): Steps<LogEntry> {
    const masking = this.#masking;
    const shownRequest = request && (yield* masking.body(x, request, "request"));
    const shownResponse = response && (yield* masking.body(x, response, "response"));
    const placeholders = new Placeholders();
    const record = this.#record(
      x,
      shownRequest && placeholders.of(shownRequest),
      shownResponse && placeholders.of(shownResponse),
    );
    return this.#makeEntry(x, yield* placeholders.filled(this.#withId(record)));
  }

  #entryOf(x: Exchange, record: string): LogEntry {
    return this.#makeEntry(x, this.#withId(record));
  }

  #withId(record: string): string {
    if (!this.#settings.recordId) return record;
    const comma = record.length > 2 ? "," : "";
    return `${record.slice(0, -1)}${comma}"record_id":"${ID_PREFIX}${(++lastId).toString(36)}"}`;
  }

  #body(x: Exchange, side: "request" | "response", { maxBytes }: BodySettings) {
    const captured = x.captured(this, side);
    return captured === undefined || captured.size === 0 ? undefined : loggedBody(captured, maxBytes);
  }

  /** Uses the plugin's format, else that of its metadata, else the default record (reference 10.2). */
  #record(x: Exchange, request?: LoggedBody, response?: LoggedBody): string {
    const { record, extra } = this.#settings;
    const make = record ?? this.#metadata?.record;
    const more = extra ?? this.#metadata?.extra;
    const masking = this.#masking.of(x);
    const shown = masking.showing(request?.text, response?.text);
    if (make !== undefined) return make(x, shown);
    return masking.defaultRecord(x, { request, response, extra: more?.(x, shown) });
  }
}

function destinationOf<Settings extends object>(
  kind: string,
  { destination, destinationId: id }: LoggerSettings<Settings>,
): Destination {
  return { kind, id, settings: Object.fromEntries(Object.entries(destination)) };
}

function openLogOutput<Settings extends object>(
  kind: string,
  settings: LoggerSettings<Settings>,
  context: ResourceContext,
): LogOutput {
  const { delivery, spool = DURABLE_DEFAULTS.spool, batch } = settings;
  const where = destinationOf(kind, settings);
  const output =
    delivery === "memory"
      ? new MemoryLogOutput(batch, openSink(where, context), context)
      : new SpoolLogOutput(batch.name, openSpool(where, spool, context), context);
  output.closed = delivering(context.metrics, where, delivery, () => output.levels());
  return output;
}

/**
 * Returns the original request as text (spec: "request line, headers, blank line, body"), a byte string:
 * headers as received, before any plugin. The body, if included, is in its coding, without chunked framing.
 */
function originText(x: Exchange, redact: RedactedNames, body: string): string {
  let text = `${x.method} ${redactedTarget(x.requestUri, redact.query(x.uri))} ${x.serverProtocol}\r\n`;
  const line = (name: string, value: string) => {
    text += `${name}: ${redactedValue(name.toLowerCase(), value, redact)}\r\n`;
  };
  const host = x.request.headers.get("host");
  if (host !== undefined) line("Host", host);
  x.request.headers.forEach(line);
  const length = x.variable("content_length");
  if (length !== undefined) line("Content-Length", String(length));
  return `${text}\r\n${body}`;
}
