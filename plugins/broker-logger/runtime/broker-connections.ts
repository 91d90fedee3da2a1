import { isIP } from "node:net";
import type { Connection, SASLOptions, saslAuthenticateV2 } from "@platformatic/kafka";
import type { BrokerAddress, BrokerDestination } from "../../../runtime/logging/logger-settings.js";
import { ProduceError } from "./client.js";
import { type BrokerSecrets, tlsOptions } from "./secrets.js";

/** The library, loaded when the first connection is opened. */
export type Library = typeof import("./platformatic-library.js");

/** The requests that are sent, in the highest version that both ends know. */
export interface BrokerRequests {
  readonly produce: Library["produceV7"]["api"];
  readonly metadata: Library["metadataV9"]["api"];
}

/** One connection, and what its broker understands. */
export interface OpenBroker {
  readonly connection: Connection;
  readonly requests: BrokerRequests;
  /** What ended it; undefined while it stands, or when the broker closed it without a word. */
  readonly brokenBy: () => unknown;
  /** When its login ends, in milliseconds of `Date.now()`; infinite where it does not. */
  readonly retireAt: () => number;
  /** Until when a quota keeps the broker from reading what is sent, in milliseconds of `Date.now()`; 0: it reads. */
  throttledUntil: number;
}

/** Part of a login's life after which another connection takes its place: what is under way ends before the login does. */
const LOGIN_SHARE = 0.8;

/**
 * One connection to each broker that is asked for. Not the library's own pool: it keeps connections that do not answer, and
 * an error on one that has failed before has no listener there and would end the process.
 */
export class BrokerConnections {
  readonly #library: Library;
  readonly #settings: Pick<BrokerDestination, "tls" | "sasl" | "timeoutMs">;
  readonly #secrets: BrokerSecrets;
  readonly #answerMs: number;
  readonly #open = new Map<string, Promise<OpenBroker>>();
  readonly #all = new Set<Connection>();
  #closed = false;

  /** @param answerMs milliseconds for the answer to one request */
  constructor(
    library: Library,
    settings: Pick<BrokerDestination, "tls" | "sasl" | "timeoutMs">,
    secrets: BrokerSecrets,
    answerMs: number,
  ) {
    this.#library = library;
    this.#settings = settings;
    this.#secrets = secrets;
    this.#answerMs = answerMs;
  }

  /** The connection to a broker, opened when there is none. @throws errors of the library */
  async to(address: BrokerAddress): Promise<OpenBroker> {
    const key = nameOf(address);
    const found = this.#open.get(key);
    if (found !== undefined) {
      const broker = await found;
      if (Date.now() < broker.retireAt()) return broker;
      // Requests on it are answered before the login ends, and then its broker closes it.
      if (this.#open.get(key) === found) this.#open.delete(key);
    }
    const opening = this.#open.get(key) ?? this.#connect(address);
    this.#open.set(key, opening);
    // One that has failed or has ended makes room for another, but never in place of another.
    const forget = () => {
      if (this.#open.get(key) === opening) this.#open.delete(key);
    };
    opening.then(({ connection }) => connection.once("close", forget), forget);
    return opening;
  }

  /** Ends a connection that does not do its part; what waits on it fails at once. */
  drop(connection: Connection): void {
    connection.socket?.destroy(new Error("the connection was given up"));
  }

  close(): void {
    this.#closed = true;
    for (const connection of this.#all) this.drop(connection);
    this.#open.clear();
  }

  async #connect(address: BrokerAddress): Promise<OpenBroker> {
    if (this.#closed) throw new ProduceError("the connection was closed", "settings");
    const login = { endsAt: Number.POSITIVE_INFINITY };
    const connection = new this.#library.Connection("gwc", this.#options(address, login));
    this.#all.add(connection);
    let broken: unknown;
    // "error" may come more than once, and without a listener ends the process.
    connection.on("error", (error: unknown) => {
      broken ??= error;
      this.drop(connection);
    });
    connection.on("close", () => this.#all.delete(connection));
    try {
      await connection.connect(address.host, address.port);
      const requests = await this.#agree(connection);
      const broker = { connection, requests, brokenBy: () => broken, throttledUntil: 0 };
      return { ...broker, retireAt: () => login.endsAt };
    } catch (error) {
      this.#all.delete(connection);
      this.drop(connection);
      // With TLS 1.3 a broker refuses a certificate after the handshake: what was asked hears only of the end.
      throw broken ?? error;
    }
  }

  /** Asked of each broker: while a cluster is upgraded they differ. */
  async #agree(connection: Connection): Promise<BrokerRequests> {
    const library = this.#library;
    const { apiKeys } = await library.apiVersionsV3.api.async(connection, "gwc", "1");
    const highest = <Api extends { key: number; version: number }>(apis: readonly Api[]): Api => {
      const range = apiKeys.find(({ apiKey }) => apiKey === apis[0]?.key);
      const found = apis.find(
        ({ version }) => range && range.minVersion <= version && version <= range.maxVersion,
      );
      if (found !== undefined) return found;
      throw new ProduceError("the broker is older than Kafka 2.4: use client: kafkajs", "settings");
    };
    // From version 10 on brokers name the new leader in an answer (KIP-951), which the library takes for what follows.
    const { produceV7, produceV8, produceV9 } = library;
    const { metadataV9, metadataV10, metadataV11, metadataV12 } = library;
    return {
      produce: highest([produceV9, produceV8, produceV7].map(({ api }) => api)),
      metadata: highest([metadataV12, metadataV11, metadataV10, metadataV9].map(({ api }) => api)),
    };
  }

  #options({ host }: BrokerAddress, login: { endsAt: number }) {
    const { tls, timeoutMs } = this.#settings;
    return {
      connectTimeout: timeoutMs,
      requestTimeout: this.#answerMs,
      ...(tls && {
        tls: tlsOptions(tls, this.#secrets),
        // A name is asked for, an address must not be (RFC 6066 section 3).
        tlsServerName: isIP(host) === 0,
      }),
      ...(this.#settings.sasl && { sasl: this.#sasl(login) }),
    };
  }

  #sasl(login: { endsAt: number }): SASLOptions {
    const { saslPlain, saslScramSha } = this.#library;
    const { mechanism, user } = this.#settings.sasl ?? { mechanism: "PLAIN", user: "" };
    const password = this.#secrets.password ?? "";
    return {
      mechanism,
      username: user,
      password,
      authenticate: (_mechanism, connection, api, _user, _password, _token, done) => {
        const finish: typeof done = (error, response) => {
          if (error) return done(error);
          const life = Number(response?.sessionLifetimeMs ?? 0n);
          if (life > 0) login.endsAt = Date.now() + life * LOGIN_SHARE;
          // The library would log in again in the midst of other requests, which brokers answer by hanging up.
          return done(null, response && { ...response, sessionLifetimeMs: 0n });
        };
        const guarded = guard(api, finish);
        if (mechanism === "PLAIN") saslPlain.authenticate(guarded, connection, user, password, finish);
        else {
          const algorithm = mechanism === "SCRAM-SHA-256" ? "SHA-256" : "SHA-512";
          const { defaultCrypto, authenticate } = saslScramSha;
          authenticate(guarded, connection, algorithm, user, password, defaultCrypto, finish);
        }
      },
    };
  }
}

type AuthenticationApi = saslAuthenticateV2.SASLAuthenticationAPI;

/** A message of a broker that is not SCRAM makes the library throw where nobody catches it: the login fails instead. */
function guard(api: AuthenticationApi, finish: (error: Error) => void): AuthenticationApi {
  const guarded = (...[connection, bytes, next]: Parameters<AuthenticationApi>): void =>
    api(connection, bytes, (error, response) => {
      try {
        next?.(error, response);
      } catch (thrown) {
        finish(thrown instanceof Error ? thrown : new Error(String(thrown)));
      }
    });
  return Object.assign(guarded, { async: api.async, key: api.key, version: api.version });
}

/** host:port, as in messages. */
export const nameOf = ({ host, port }: BrokerAddress): string =>
  `${host.includes(":") ? `[${host}]` : host}:${port}`;
