import { isIP } from "node:net";
import type { Connection, SASLOptions, saslAuthenticateV2 } from "@platformatic/kafka";
import type { BrokerAddress, BrokerDestination } from "../../../runtime/logging/index.js";
import { ProduceError } from "./client.js";
import { type BrokerSecrets, tlsOptions } from "./secrets.js";

/** Loaded when the first connection opens. */
export type Library = typeof import("./platformatic-library.js");

/** Highest versions that both ends support. */
export interface BrokerRequests {
  readonly produce: Library["produceV7"]["api"];
  readonly metadata: Library["metadataV9"]["api"];
}

export interface OpenBroker {
  readonly connection: Connection;
  readonly requests: BrokerRequests;
  /** Undefined while the connection is open, or if the broker closed it without an error. */
  readonly brokenBy: () => unknown;
  /** End of the login in ms of `Date.now()`; Infinity if it does not expire. */
  readonly retireAt: () => number;
  /** End of the quota throttling in ms of `Date.now()`, until which the broker reads no requests; 0 if none. */
  throttledUntil: number;
}

/** Share of a login's lifetime after which a new connection replaces it: requests in flight end before. */
const LOGIN_SHARE = 0.8;

/**
 * One connection to each broker in use. The library's own pool is not used: it keeps connections that do not
 * respond. There an error on a connection that has failed before has no listener and would end the process.
 */
export class BrokerConnections {
  readonly #library: Library;
  readonly #settings: Pick<BrokerDestination, "tls" | "sasl" | "timeoutMs">;
  readonly #secrets: BrokerSecrets;
  readonly #answerMs: number;
  readonly #open = new Map<string, Promise<OpenBroker>>();
  readonly #all = new Set<Connection>();
  #closed = false;

  /** @param answerMs response timeout of one request */
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

  /** Opens a connection if there is none. @throws errors of the library */
  async to(address: BrokerAddress): Promise<OpenBroker> {
    const key = nameOf(address);
    const found = this.#open.get(key);
    if (found !== undefined) {
      const broker = await found;
      if (Date.now() < broker.retireAt()) return broker;
      // Its requests get their responses before the login ends; then the broker closes it.
      if (this.#open.get(key) === found) this.#open.delete(key);
    }
    const opening = this.#open.get(key) ?? this.#connect(address);
    this.#open.set(key, opening);
    // A connection that has failed or ended is removed, but never its replacement.
    const forget = () => {
      if (this.#open.get(key) === opening) this.#open.delete(key);
    };
    opening.then(({ connection }) => connection.once("close", forget), forget);
    return opening;
  }

  /** Gives up a broker that does not respond: pending requests fail at once. */
  drop(connection: Connection): void {
    connection.socket?.destroy(new Error("the connection was abandoned"));
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
    // "error" may be emitted more than once; without a listener it ends the process.
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
      // With TLS 1.3 a broker refuses a certificate after the handshake: the request only sees the close.
      throw broken ?? error;
    }
  }

  /** Versions differ while a cluster is upgraded. */
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
    // From version 10 on, responses name the new leader (KIP-951); the library parses that as the next field.
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
        // SNI takes a name, never an IP address (RFC 6066 section 3).
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
          // The library would log in again between other requests; brokers respond by closing the connection.
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

/** Makes the login fail on a broker message that is not SCRAM; the library throws where nothing catches it. */
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

export const nameOf = ({ host, port }: BrokerAddress): string =>
  `${host.includes(":") ? `[${host}]` : host}:${port}`;
