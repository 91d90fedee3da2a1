import { isDeepStrictEqual } from "node:util";
import { isObject } from "./json-object.js";
import { DURABLE_DEFAULTS, LOGGER_DEFAULTS } from "./logger-defaults.gen.js";

/**
 * Settings in generated modules omit values that equal the default, and the plugin's call adds them from the
 * same table, which is generated from the schemas (`defaults.gen.ts`).
 */
export type Sparse<Settings, Defaults> = Omit<Settings, keyof Defaults> & {
  readonly [Name in keyof Settings & keyof Defaults as Fills<Settings[Name], Defaults[Name]> extends true
    ? Name
    : never]?: GivenMember<Settings[Name], Defaults[Name]>;
} & {
  readonly [Name in keyof Settings & keyof Defaults as Fills<Settings[Name], Defaults[Name]> extends true
    ? never
    : Name]: GivenMember<Settings[Name], Defaults[Name]>;
};

type GivenMember<Member, Default> = Default extends readonly unknown[]
  ? Member
  : Default extends object
    ? Sparse<Member, Default>
    : Member;

/** False for an object with fields that have no default: it cannot be omitted. */
type Fills<Member, Default> = Default extends readonly unknown[]
  ? true
  : Default extends object
    ? Partial<Sparse<Member, Default>> extends Sparse<Member, Default>
      ? true
      : false
    : true;

type Fields = Readonly<Record<string, unknown>>;

/** Completes objects inside, and replaces lists as a whole. */
export function filled<Settings extends object>(given: object, defaults: object): Settings {
  return merged(given as Fields, defaults as Fields) as Settings;
}

function merged(given: Fields, defaults: Fields): Fields {
  const all: Record<string, unknown> = { ...defaults };
  for (const [name, value] of Object.entries(given)) {
    const own = all[name];
    all[name] = isObject(value) && isObject(own) ? merged(value, own) : value;
  }
  return all;
}

/** Removes the fields that `filled` adds again; `settings` must have every field that the defaults have. */
export function withoutDefaults<Settings extends Fields>(settings: Settings, defaults: Fields): Settings {
  const rest: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(settings)) {
    const own = Object.hasOwn(defaults, name) ? defaults[name] : undefined;
    if (isDeepStrictEqual(value, own)) continue;
    rest[name] = isObject(value) && isObject(own) ? withoutDefaults(value, own) : value;
  }
  return rest as Settings;
}

/** Defaults of all loggers and those of a plugin, as types of their values. */
type LoggerDefaults<Own extends { batch: object }> = typeof LOGGER_DEFAULTS &
  Own & { batch: typeof LOGGER_DEFAULTS.batch & Own["batch"] };

/** Returns the settings of a logger without any setting. @param own defaults of the plugin */
export function loggerDefaults<Own extends { batch: object }>(
  own: Own,
  delivery: unknown,
): LoggerDefaults<Own> {
  const ofDelivery = delivery === "durable" ? DURABLE_DEFAULTS : {};
  return { ...LOGGER_DEFAULTS, ...ofDelivery, ...own, batch: { ...LOGGER_DEFAULTS.batch, ...own.batch } };
}
