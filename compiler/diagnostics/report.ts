import type { Diagnostic, Fix, Note, Span } from "../model/diagnostic.js";
import { CATALOGUE } from "./catalogue/index.js";

export type Params = Readonly<Record<string, string | number>>;

/**
 * Words come from the catalogue; `extra.help` replaces its help.
 * @throws RangeError if no catalogue has the code, which is a bug of the caller
 */
export function diagnostic(
  code: string,
  span: Span | undefined,
  params: Params = {},
  extra: { notes?: Note[]; help?: string; fix?: Fix } = {},
): Diagnostic {
  const entry = CATALOGUE[code];
  if (entry === undefined) throw new RangeError(`no diagnostic has the code ${code}`);
  const help = extra.help ?? (entry.help === undefined ? undefined : fill(entry.help, params));
  return {
    code,
    severity: entry.severity,
    message: fill(entry.message, params),
    ...(span === undefined ? {} : { span }),
    notes: extra.notes ?? [],
    ...(help === undefined ? {} : { help }),
    ...(extra.fix === undefined ? {} : { fix: extra.fix }),
  };
}

/** Placeholders start with a lower-case letter, so `${{VAR}}` in a wording stays unchanged. */
function fill(wording: string, params: Params): string {
  return wording.replace(/\{([a-z]\w*)\}/g, (hole, name: string) => String(params[name] ?? hole));
}

export const isAdvice = ({ code }: Pick<Diagnostic, "code">): boolean => CATALOGUE[code]?.advice === true;
