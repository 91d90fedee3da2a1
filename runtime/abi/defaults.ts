import { isDeepStrictEqual } from "node:util";
import { DURABLE_DEFAULTS, LOGGER_DEFAULTS } from "./logger-defaults.gen.js";

/**
 * Settings as generated modules state them: what equals the default is left out by the compiler and filled in by the plugin's
 * call, from one table that both read. The table is generated from the schemas (`defaults.gen.ts`).
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

/** Whether the default is the whole of a member, so that it can be left out: not for an object with fields that have none. */
type Fills<Member, Default> = Default extends readonly unknown[]
  ? true
  : Default extends object
    ? Partial<Sparse<Member, Default>> extends Sparse<Member, Default>
      ? true
      : false
    : true;

type Fields = Readonly<Record<string, unknown>>;

/** The settings with every default that is not given; objects are filled inside, lists are taken whole. */
export function filled<Settings extends object>(given: object, defaults: object): Settings {
  return merged(given as Fields, defaults as Fields) as Settings;
}

function merged(given: Fields, defaults: Fields): Fields {
  const all: Record<string, unknown> = { ...defaults };
  for (const [name, value] of Object.entries(given)) {
    const own = all[name];
    all[name] = isFields(value) && isFields(own) ? merged(value, own) : value;
  }
  return all;
}

/** What `filled` needs to make `settings` again; they have every field that the defaults have. */
export function withoutDefaults<Settings extends Fields>(settings: Settings, defaults: Fields): Settings {
  const rest: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(settings)) {
    const own = Object.hasOwn(defaults, name) ? defaults[name] : undefined;
    if (isDeepStrictEqual(value, own)) continue;
    rest[name] = isFields(value) && isFields(own) ? withoutDefaults(value, own) : value;
  }
  return rest as Settings;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What a logger that says nothing has. @param own the plugin's own part of it */
export function loggerDefaults<Own extends { batch: object }>(own: Own, delivery: unknown) {
  const ofDelivery = delivery === "durable" ? DURABLE_DEFAULTS : {};
  return { ...LOGGER_DEFAULTS, ...ofDelivery, ...own, batch: { ...LOGGER_DEFAULTS.batch, ...own.batch } };
}
