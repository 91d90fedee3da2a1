/** Check of a text that a pattern cannot express; schemas name it by `format`. */
export interface TextFormat {
  /** Code of its diagnostic. */
  code: string;
  /** Message of the admin API, if the reference has one; `{value}` is replaced by the text. */
  errorText: string | ((text: string) => string);
  /**
   * Returns the whole `error_msg` of the admin API, if the reference finds the fault apart from its schema.
   */
  rule?: (text: string) => string | undefined;
  /** Returns the same for the name of a field, if it differs. Default: `rule`. */
  nameRule?: (name: string) => string | undefined;
  /** Returns the text as diagnostics show it, for instance without a password. Default: the text. */
  shown?(text: string): string;
  /** Returns the fault of the text; undefined if it is valid. */
  fault(text: string): string | undefined;
}

export type TextFormats = Readonly<Record<string, TextFormat>>;

const known = new Map<string, TextFormat>();

/** @throws Error if a name is taken; then it registers nothing */
export function registerFormats(plugin: string, formats: TextFormats = {}): void {
  for (const name of Object.keys(formats))
    if (known.has(name)) throw new Error(`plugin ${plugin}: there is a format called ${name} already`);
  for (const [name, format] of Object.entries(formats)) known.set(name, format);
}

/** Returns the formats of all plugins, by name. */
export function pluginFormats(): ReadonlyMap<string, TextFormat> {
  return known;
}
