/** Check of a text that a pattern cannot express; schemas name it by `format`. */
export interface TextFormat {
  /** Code of its diagnostic. */
  code: string;
  /** Message of the admin API, if the reference has one; `{value}` becomes the text. */
  errorText: string | ((text: string) => string);
  /** Whole `error_msg` of the admin API, if the reference finds the fault apart from its schema. */
  rule?: (text: string) => string | undefined;
  /** The same for the name of a field. Default: `rule`. */
  nameRule?: (name: string) => string | undefined;
  /** Returns the text for diagnostics, for instance without a password. Default: the text. */
  shown?(text: string): string;
  /** @returns undefined if the text is valid */
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

export function pluginFormats(): ReadonlyMap<string, TextFormat> {
  return known;
}
