/** A check of texts that a pattern cannot make, named by `format` in the schemas. */
export interface TextFormat {
  code: string;
  /** Text of the admin API, where the reference has one; `{value}` is the text. */
  errorText: string | ((text: string) => string);
  /** Whole text of the admin API where the reference finds the fault apart from the schema. */
  rule?: (text: string) => string | undefined;
  /** The same for names of fields, where they differ. */
  nameRule?: (name: string) => string | undefined;
  /** The text as findings repeat it; default: as it is. */
  shown?(text: string): string;
  /** What is wrong with the text, or undefined when nothing is. */
  fault(text: string): string | undefined;
}

export type TextFormats = Readonly<Record<string, TextFormat>>;

const known = new Map<string, TextFormat>();

/** @throws Error when a name is taken; nothing is registered then */
export function registerFormats(plugin: string, formats: TextFormats = {}): void {
  for (const name of Object.keys(formats))
    if (known.has(name)) throw new Error(`plugin ${plugin}: there is a format called ${name} already`);
  for (const [name, format] of Object.entries(formats)) known.set(name, format);
}

/** Those of all plugins, by name. */
export function pluginFormats(): ReadonlyMap<string, TextFormat> {
  return known;
}
