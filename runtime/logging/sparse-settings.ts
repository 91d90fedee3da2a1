import { filled, loggerDefaults, type Sparse } from "../abi/defaults.js";
import { canonicalHash } from "../abi/hash.js";
import { isLiteralReference } from "../abi/literal-secret.js";
import type { LOGGER_DEFAULTS } from "../abi/logger-defaults.gen.js";
import type { LoggerSettings, SpoolSettings } from "./logger-settings.js";

interface Stated extends Omit<Partial<LoggerSettings<unknown>>, "spool" | "batch" | "redact"> {
  readonly versions?: readonly string[];
  readonly spool?: object;
  readonly batch?: object;
}

type Identity = Pick<LoggerSettings<object>, "key" | "destinationId">;

/** Settings of a logger in a generated module, without defaults. `Defaults` are those of the plugin. */
export type SparseLoggerSettings<Destination, Defaults> = Sparse<
  Omit<LoggerSettings<Destination>, keyof Identity | "spool">,
  typeof LOGGER_DEFAULTS & Defaults
> & {
  readonly spool?: Partial<SpoolSettings>;
  /** Versions of the credentials in the destination, if they differ from the names of the credentials. */
  readonly versions?: readonly string[];
};

/**
 * Completes the settings with their defaults.
 * @param identity returns the parts of the destination that tell it from others: a change of any other part
 * keeps the spool. Default: all but plain-text secrets
 */
export function loggerSettings<Destination extends object, Own extends { batch: object }>(
  kind: string,
  given: SparseLoggerSettings<Destination, Own>,
  own: Own,
  identity: (destination: Destination) => unknown = withoutLiterals,
): LoggerSettings<Destination> {
  const { versions = [], ...rest }: Stated = given;
  const all = filled<LoggerSettings<Destination>>(rest, loggerDefaults(own, rest.delivery));
  const { destination, batch, delivery, ack, spool } = rest;
  const stated = JSON.stringify([kind, versions, destination, batch, delivery, ack, spool]);
  let known = IDENTITIES.get(stated);
  if (known === undefined) {
    if (IDENTITIES.size === MOST) IDENTITIES.clear();
    known = identityOf(kind, versions, identity(all.destination), all);
    IDENTITIES.set(stated, known);
  }
  return { ...all, ...known };
}

/** Leaves out references of plain-text secrets, which change with their values. */
function withoutLiterals(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.filter((one) => !isLiteral(one)).map(withoutLiterals);
  const kept = Object.entries(value).filter(([, one]) => !isLiteral(one));
  return Object.fromEntries(kept.map(([name, one]) => [name, withoutLiterals(one)]));
}

const isLiteral = (value: unknown): boolean => typeof value === "string" && isLiteralReference(value);

/** Limit of cached identities: most routes log to a few destinations, and two hashes take 40 µs, half of loading. */
const MOST = 1000;
const IDENTITIES = new Map<string, Identity>();

function identityOf(
  kind: string,
  versions: readonly string[],
  destination: unknown,
  { batch, delivery, ack, spool }: Pick<LoggerSettings<object>, "batch" | "delivery" | "ack" | "spool">,
): Identity {
  return {
    key: canonicalHash({ kind, destination, versions, batch, delivery: { delivery, ack, spool } }),
    destinationId: canonicalHash({ kind, destination }),
  };
}
