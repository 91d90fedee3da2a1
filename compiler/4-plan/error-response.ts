import { diagnostic } from "../diagnostics/report.js";
import type { Diagnostic, Span } from "../model/diagnostic.js";
import type { PlannedStep, PluginDefinition } from "../plugin/definition.js";

/** Text that records whether it was read. */
export class ReadDetector {
  readonly text: string | undefined;
  #isRead = false;

  constructor(text: string | undefined) {
    this.text = text;
  }

  get isRead(): boolean {
    return this.#isRead;
  }

  /**
   * Returns a copy of the object with a member `errorResponse` whose reads are recorded. Copies of the result
   * by `...` leave the member out, so that copying does not count as reading.
   */
  on<T extends object>(object: T): T & { readonly errorResponse: string | undefined } {
    return Object.defineProperty({ ...object }, "errorResponse", {
      get: () => {
        this.#isRead = true;
        return this.text;
      },
    }) as T & { readonly errorResponse: string | undefined };
  }
}

/** Returns `_meta.error_response`, configured as text or as JSON, as the text that is sent. */
export function errorResponseText(written: string | Record<string, unknown> | undefined): string | undefined {
  return written === undefined || typeof written === "string" ? written : JSON.stringify(written);
}

/** Diagnostic for an `_meta.error_response` that nothing sends. */
export const unsentErrorResponse = (plugin: string, span: Span): Diagnostic =>
  diagnostic("GW4050", span, { plugin });

/**
 * Reports whether a plugin sends its error response: then its `describe` reads the text. True of built-in
 * plugins only, since each of them describes what it sends.
 */
export function describesErrorResponse(
  plugin: PluginDefinition,
  steps: readonly PlannedStep[],
  text: string,
  resourceData: unknown,
): boolean {
  const noted = new ReadDetector(text);
  for (const step of steps)
    plugin.describe?.(noted.on({ ...step, plugin: plugin.name, filter: null }), resourceData);
  return noted.isRead;
}
