import { rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { environmentReferences } from "../../../runtime/abi/plugin-api.js";
import {
  type Counters,
  type IsStarved,
  LineChannel,
  type ListenAddress,
  log,
  ProcessTimeout,
  type ServiceEnd,
  type ServiceHere,
  starvationOf,
} from "../../../runtime/process/contribution-api.js";
import type { CaptchaApiKey, CaptchaTable } from "../captcha-table.js";
import type { CaptchaConfiguration, KnownApiKey } from "../service/contract.js";
import {
  type Answers,
  CAPTCHA_SOCKET,
  type FromCaptcha,
  type Question,
  type ToCaptcha,
} from "../service/messages.js";
import { apiKeyDigest, apiKeyParts } from "../service/verify/api-key.js";
import type { KnownKeys } from "./access.js";
import { derivedKeys, secretOf } from "./keys.js";
import type { CaptchaDeployment } from "./settings.js";

export interface CaptchaLinkParts {
  deployment: CaptchaDeployment;
  /** Committed generation. */
  table: () => CaptchaTable;
  /** Undefined if the reference is not known here. */
  resolve: (reference: string) => string | undefined;
  adminKeys: () => readonly string[];
  counters: Counters;
  starvation?: (pid: number) => IsStarved;
}

/** Socket, or a captcha inside the same process. */
export interface CaptchaPeer {
  send(message: ToCaptcha): void;
}

/** Timeout until the captcha serves a change; a write waits longer only for one that is starved of CPU. */
const CONFIGURED_MS = 2_000;
/** Timeout of a question; also longer for a captcha that is starved of CPU. */
const ANSWER_MS = 5_000;

/** The captcha is not connected or gave no reply. */
export class CaptchaUnavailableError extends Error {}

interface Waiting {
  settle: (message: FromCaptcha) => void;
  fail: (reason: string) => void;
  timeout: ProcessTimeout;
}

export class CaptchaLink implements ServiceEnd {
  readonly #parts: CaptchaLinkParts;
  readonly #waiting = new Map<number, Waiting>();
  #deployment: CaptchaDeployment;
  readonly #keys: ReturnType<typeof derivedKeys>;
  #server: Server | undefined;
  #peer: CaptchaPeer | undefined;
  #pid = 0;
  /** The last sent configuration is served, as far as is known. */
  #up = false;
  #latest = 0;
  #fault: string | undefined;
  #number = 0;
  /** Settings that take effect at a restart, by their names in the configuration. */
  #restartNeeded: readonly string[] = [];
  /** Faults of keys in the table, so that each is reported once. */
  #sent = "";
  #whenConfigured: (() => void)[] = [];

  /** @throws StartError for a secret that cannot be stored */
  constructor(parts: CaptchaLinkParts) {
    this.#parts = parts;
    this.#deployment = parts.deployment;
    this.#keys = derivedKeys(secretOf(parts.deployment));
  }

  get apiKeyPepper(): Buffer {
    return this.#keys["api-key"];
  }

  get settings(): CaptchaDeployment {
    return this.#deployment;
  }

  get restartNeeded(): readonly string[] {
    return this.#restartNeeded;
  }

  knownKeys(): KnownKeys {
    const { table, resolve } = this.#parts;
    const { left: _, ...told } = serviceTable(table(), this.apiKeyPepper, resolve);
    // A literal is no reference to a secret, even if it looks like one.
    const textOf = (apiKey: string) =>
      environmentReferences(apiKey).length > 0 ? resolve(apiKey)?.trim() : apiKey;
    return { ...told, pepper: this.apiKeyPepper, textOf, up: this.#up };
  }

  /** `/status/ready` */
  get summary(): { up: boolean; reason?: string } {
    return this.#up ? { up: true } : { up: false, reason: this.#fault ?? "it is starting" };
  }

  listen(runDirectory: string): Promise<void> {
    const path = join(runDirectory, CAPTCHA_SOCKET);
    // A control that was killed left it behind.
    rmSync(path, { force: true });
    const server = createServer((socket) => {
      const attached = this.attach({ send: (message) => channel.send(message) });
      const channel = new LineChannel<FromCaptcha, ToCaptcha>(socket, attached.hear, attached.gone);
    });
    this.#server = server;
    return new Promise((resolve, reject) => {
      // The handler stays: a later error, such as no descriptor left, is transient and must not end the process.
      server.on("error", reject);
      server.listen(path, resolve);
    });
  }

  /** The latest captcha counts, since the previous one has ended. */
  attach(peer: CaptchaPeer): { hear: (message: FromCaptcha) => void; gone: () => void } {
    let pid = 0;
    const hear = (message: FromCaptcha) => {
      if (message.type === "hello") {
        pid = message.pid;
        this.#peer = peer;
        this.#pid = pid;
        this.#up = false;
        this.#parts.counters.joined(pid, (number) => peer.send({ type: "metrics", number }));
        void this.publish();
      } else if (this.#peer === peer) this.#onMessage(message);
    };
    const gone = () => {
      this.#parts.counters.left(pid);
      if (this.#peer !== peer) return;
      this.#peer = undefined;
      this.#lags("it exited and is being restarted");
      for (const [number, { fail }] of this.#waiting) {
        this.#waiting.delete(number);
        fail("the captcha exited");
      }
    };
    return { hear, gone };
  }

  /** Another listener, store or secret needs a restart. */
  update(deployment: CaptchaDeployment): Promise<void> {
    const { listen, secret, settings } = this.#deployment;
    const changed = [
      ...(differ(listen, deployment.listen) ? ["captcha.listen"] : []),
      ...(differ(settings.store, deployment.settings.store) ? ["captcha.store"] : []),
      ...(differ(room(settings), room(deployment.settings)) ? ["captcha.limits"] : []),
      ...(secret !== deployment.secret ? ["captcha.secret"] : []),
    ];
    if (changed.length > 0) log("restart_needed", { settings: changed });
    this.#restartNeeded = changed;
    const { sessions, claims } = settings.limits;
    const limits = { ...deployment.settings.limits, sessions, claims };
    const kept = { ...deployment.settings, store: settings.store, limits };
    this.#deployment = { ...deployment, listen, secret, settings: kept };
    return this.publish();
  }

  /** Resolves when the captcha serves the current configuration, or at the timeout. */
  async publish(): Promise<void> {
    if (!this.#peer) return;
    const number = ++this.#number;
    this.#latest = number;
    this.#peer.send({ type: "configuration", number, configuration: this.#configuration() });
    const answer = await this.#expect(number, CONFIGURED_MS).catch(() => undefined);
    if (number !== this.#latest) return;
    if (answer?.type === "configured") this.#onConfigured(answer.refused);
    else this.#lags("it did not confirm the last change");
  }

  /** @throws CaptchaUnavailableError */
  async ask<About extends Question["about"]>(question: Question & { about: About }): Promise<Answers[About]> {
    if (!this.#peer)
      throw new CaptchaUnavailableError(`the captcha does not reply: ${this.#fault ?? "starting"}`);
    const number = ++this.#number;
    this.#peer.send({ type: "ask", number, question });
    const answer = await this.#expect(number, ANSWER_MS);
    if (answer.type === "answer") return answer.value as Answers[About];
    throw new CaptchaUnavailableError(
      answer.type === "failed" ? answer.reason : "the captcha sent a reply of another type",
    );
  }

  /** Resolves when the captcha serves the current configuration or has rejected it, or after `ms`. */
  whenTold(ms: number): Promise<void> {
    if (this.#up) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#whenConfigured.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  /** Loaded only if the captcha has no process of its own. */
  async startHere(listener: ListenAddress): Promise<ServiceHere> {
    const { captchaHere } = await import("./in-process.js");
    return captchaHere(this, listener);
  }

  close(): void {
    this.#server?.close();
    for (const { timeout } of this.#waiting.values()) timeout.stop();
  }

  #onMessage(message: FromCaptcha): void {
    if (message.type === "metrics") {
      this.#parts.counters.reported(message.families, message.number);
      return;
    }
    if (message.type === "hello") return;
    const waiting = this.#waiting.get(message.number);
    this.#waiting.delete(message.number);
    if (waiting) waiting.settle(message);
    // A late reply, but still to the last sent configuration.
    else if (message.type === "configured" && message.number === this.#latest)
      this.#onConfigured(message.refused);
  }

  /** A reason from the captcha itself takes precedence. */
  #lags(reason: string): void {
    this.#up = false;
    this.#fault ??= reason;
  }

  #onConfigured(refused: string | undefined): void {
    this.#fault = refused;
    this.#up = refused === undefined;
    if (refused !== undefined) log("captcha_refused", { reason: refused });
    for (const settle of this.#whenConfigured.splice(0)) settle();
  }

  #expect(number: number, ms: number): Promise<FromCaptcha> {
    const { starvation = starvationOf } = this.#parts;
    return new Promise((resolve, reject) => {
      const fail = (reason: string) => {
        timeout.stop();
        reject(new CaptchaUnavailableError(reason));
      };
      const timeout = new ProcessTimeout(ms, starvation(this.#pid), (silentMs) => {
        this.#waiting.delete(number);
        fail(`the captcha did not reply within ${silentMs} ms`);
      });
      const settle = (message: FromCaptcha) => {
        timeout.stop();
        resolve(message);
      };
      this.#waiting.set(number, { settle, fail, timeout });
    });
  }

  #configuration(): CaptchaConfiguration {
    const { left, ...table } = serviceTable(this.#parts.table(), this.apiKeyPepper, this.#parts.resolve);
    const told = JSON.stringify(left);
    if (told !== this.#sent)
      for (const { apiKey, reason } of left) log("captcha_api_key_unknown", { api_key: apiKey, reason });
    this.#sent = told;
    const secrets = Object.fromEntries(
      Object.entries(this.#keys).map(([name, key]) => [name, key.toString("base64")]),
    ) as CaptchaConfiguration["secrets"];
    const adminKeys = this.#parts.adminKeys().map((key) => apiKeyDigest(this.apiKeyPepper, key));
    return { settings: this.#deployment.settings, ...table, secrets, adminKeys };
  }
}

/** Limits that apply when a store is opened. */
const room = ({ limits }: CaptchaDeployment["settings"]) => {
  const { sessionsSoft: _soft, sessionsHard: _hard, ...opened } = limits;
  return opened;
};
const differ = (a: unknown, b: unknown) => JSON.stringify(a) !== JSON.stringify(b);

/** Table for the captcha, and the omitted keys. */
export interface ServiceTable extends Omit<CaptchaTable, "apiKeys"> {
  apiKeys: KnownApiKey[];
  /** Never contains the key's text. */
  left: { apiKey: string; reason: string }[];
}

/** @param pepper the key "api-key", 32 bytes @param resolve undefined if the reference is not known here */
export function serviceTable(
  { customers, siteKeys, apiKeys }: CaptchaTable,
  pepper: Buffer,
  resolve: (reference: string) => string | undefined,
): ServiceTable {
  const left: ServiceTable["left"] = [];
  const known = apiKeys.flatMap((apiKey): KnownApiKey[] => {
    const { digest: issued, secret, ...rest } = apiKey;
    if (issued !== null) return [{ ...rest, digest: issued }];
    const found = textOf(apiKey, resolve);
    if ("text" in found) return [{ ...rest, digest: apiKeyDigest(pepper, found.text) }];
    left.push({ apiKey: apiKey.id, reason: found.reason });
    return [];
  });
  return { customers, siteKeys, apiKeys: known, left };
}

function textOf(
  { id, secret }: CaptchaApiKey,
  resolve: (reference: string) => string | undefined,
): { text: string } | { reason: string } {
  const text = secret === null ? undefined : resolve(secret);
  if (text === undefined) {
    const [variable] = environmentReferences(secret ?? "");
    const unset = variable && `the environment variable ${variable.name} is not set`;
    return { reason: unset ?? "its text is unknown until the configuration compiles" };
  }
  const parts = apiKeyParts(text.trim());
  if (parts === undefined) return { reason: "its text is not an API key: create one with gwc captcha init" };
  if (parts.id !== id) return { reason: `its text is the key with another id: ${parts.id}` };
  return { text: text.trim() };
}
