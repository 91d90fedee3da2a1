import {
  canonicalHash,
  type Exchange,
  filled,
  type PluginRuntime,
  type SharedResource,
} from "../../../runtime/abi/plugin-api.js";
import { REQUEST_ID, RESERVED, RESULT } from "../reserved-headers.js";
import { PooledCalls } from "./calls.js";
import { DEFAULTS } from "./defaults.gen.js";
import type { CaptchaCheckSettings, SparseCaptchaCheck } from "./settings.js";
import { readToken, type TokenResult } from "./token.js";
import type { Verdict } from "./verdict.js";
import { BREAKER_OPEN, Verifier } from "./verifier.js";

/** Shape of the gateway's other replies. */
export interface LocalReply {
  /** Absent: `reject_status`. */
  status?: number;
  body: string;
  /** The client may retry the same request later. */
  retry?: true;
}

const reply = (error: string, message: string, more: Omit<LocalReply, "body"> = {}): LocalReply => ({
  ...more,
  body: `${JSON.stringify({ error, message })}\n`,
});

/** `error` never changes. The replies repeat nothing of the request. */
export const LOCAL_REPLIES = {
  required: reply("captcha_required", "Solve the captcha first"),
  invalid: reply("captcha_invalid", "The captcha has expired or was used already: solve it again"),
  misconfigured: reply("captcha_misconfigured", "The captcha of this site is not set up correctly"),
  unavailable: reply("captcha_unavailable", "The captcha cannot be verified now: try again later", {
    status: 503,
    retry: true,
  }),
  tooLong: (maxBytes: number) =>
    reply("captcha_too_late", `No captcha token within the first ${maxBytes} bytes of the body`, {
      status: 413,
    }),
  unreadable: (reason: string) =>
    reply("captcha_invalid", UNREADABLE[reason] ?? "The captcha token is malformed"),
};

const UNREADABLE: Readonly<Record<string, string>> = {
  malformed_body: "The body does not match its Content-Type",
  field_repeated: "The request contains more than one captcha token",
  not_a_text: "The captcha token is not a text",
  body_coded: "A body with a Content-Encoding is not searched for a captcha token",
};

/** Spellings that CGI, WSGI and the like treat as the same name. */
const OWN_FIELD = /^x[^a-z0-9]captcha[^a-z0-9]/i;
/** Retry-After in seconds while no verdict is available. */
const RETRY_AFTER = "10";

/** No effect until the route's resource is opened. */
export function captcha(given: SparseCaptchaCheck): CaptchaCheck {
  return new CaptchaCheck(filled(given, DEFAULTS));
}

/** Routes with the same service and settings share a verifier. */
function keyOf({ url, siteKey, timeoutMs, retries, ca, apiKey, version }: CaptchaCheckSettings) {
  return canonicalHash({ url, siteKey, timeoutMs, retries, ca, version: version ?? apiKey });
}

/** Lets only requests with a verified token pass; generated modules make it from the settings. */
export class CaptchaCheck {
  readonly resource: SharedResource;
  readonly #settings: CaptchaCheckSettings;
  readonly #methods: ReadonlySet<string>;
  #verifier: Verifier | undefined = undefined;

  constructor(settings: CaptchaCheckSettings) {
    this.#settings = settings;
    this.#methods = new Set(settings.methods);
    this.resource = {
      kind: "captcha",
      key: keyOf(settings),
      open(context) {
        let apiKey = context.secret(settings.apiKey);
        if (apiKey === "") throw new Error("the api_key is empty");
        // For example a line end at the end of a file: every call would fail as if the service were down.
        if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey))
          throw new Error("the api_key contains an invalid character");
        // A start continues without an unknown key, so that all other routes work; a later reload may bring it.
        const calls = new PooledCalls(settings, () => (apiKey ??= context.secret(settings.apiKey)));
        return new Verifier(settings, calls, context, () => performance.now());
      },
      use: (opened) => {
        this.#verifier = opened as Verifier;
      },
    };
  }

  /** Rewrite phase: removes a client's X-Captcha-* headers, which only the gateway may set. */
  clean(x: Exchange): void {
    for (const name of x.request.headers.names()) if (OWN_FIELD.test(name)) x.upstream.headers.delete(name);
  }

  /** Access phase. `body` and its type replace those of a rejection. @returns true if the request goes no further */
  async rejects(x: Exchange, body?: string, contentType?: string): Promise<boolean> {
    // Methods are case-sensitive (RFC 9110 section 9.1), but many applications treat "post" as POST.
    if (!this.#methods.has(x.method.toUpperCase())) return false;
    const verifier = this.#verifier;
    if (verifier === undefined) throw new Error("the captcha's resource is not open");
    const brought = await readToken(x, this.#settings);
    if (brought.kind === "gone") return true;
    const refusal =
      brought.kind === "token"
        ? await this.#verify(x, verifier, brought.token)
        : this.#withoutToken(x, verifier, brought);
    if (refusal === undefined) return false;
    x.respond(refusal.status ?? this.#settings.rejectStatus, body ?? refusal.body, contentType);
    if (refusal.retry) x.response.headers.set("Retry-After", RETRY_AFTER);
    return true;
  }

  #withoutToken(
    x: Exchange,
    verifier: Verifier,
    brought: Exclude<TokenResult, { kind: "token" | "gone" }>,
  ): LocalReply {
    if (brought.kind === "room") {
      verifier.report("buffered_bodies_full", { route: x.routeId });
      verifier.count("unavailable");
      return LOCAL_REPLIES.unavailable;
    }
    verifier.count(brought.kind === "unreadable" ? "invalid" : "required");
    if (brought.kind === "none") return LOCAL_REPLIES.required;
    return brought.kind === "too_long"
      ? LOCAL_REPLIES.tooLong(brought.maxBytes)
      : LOCAL_REPLIES.unreadable(brought.reason);
  }

  async #verify(x: Exchange, verifier: Verifier, token: string): Promise<LocalReply | undefined> {
    const { sendIp, policy } = this.#settings;
    const verdict = await verifier.verify(token, sendIp ? x.remoteAddr : undefined);
    if (verdict.kind === "unavailable")
      verifier.withoutVerdict(x.routeId ?? "", verdict.error !== BREAKER_OPEN);
    if (verdict.kind === "unavailable" && policy === "fail-open") {
      verifier.count("unverified");
      x.upstream.headers.set(RESULT, "unverified");
      x.upstream.headers.delete(REQUEST_ID);
      return undefined;
    }
    verifier.count(verdict.kind);
    if (verdict.kind !== "verified") return this.#refusal(x, verifier, verdict);
    x.upstream.headers.set(RESULT, "verified");
    x.upstream.headers.set(REQUEST_ID, verdict.requestId);
    return undefined;
  }

  #refusal(x: Exchange, verifier: Verifier, verdict: Exclude<Verdict, { kind: "verified" }>): LocalReply {
    if (verdict.kind === "invalid") return LOCAL_REPLIES.invalid;
    if (verdict.kind === "unavailable") return LOCAL_REPLIES.unavailable;
    const { error, status } = verdict;
    verifier.report("captcha_misconfigured", {
      route: x.routeId,
      site_key: this.#settings.siteKey,
      error,
      status,
    });
    return LOCAL_REPLIES.misconfigured;
  }
}

export const runtime: PluginRuntime = { exports: { captcha }, reservedHeaders: RESERVED };
