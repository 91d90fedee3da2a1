import type { Diagnostic, Span } from "../diagnostics/diagnostic.js";
import { diagnostic } from "../diagnostics/report.js";
import type { PlannedStep, PluginDefinition } from "../plugin/definition.js";

/** A value that tells whether anybody has read it. */
export class NotedText {
  readonly text: string | undefined;
  #isRead = false;

  constructor(text: string | undefined) {
    this.text = text;
  }

  get isRead(): boolean {
    return this.#isRead;
  }

  /** The object with a member `errorResponse`, reading which is noted. Copies of the object by `...` leave it out, so that copying is no reading. */
  on<T extends object>(object: T): T & { readonly errorResponse: string | undefined } {
    return Object.defineProperty({ ...object }, "errorResponse", {
      get: () => {
        this.#isRead = true;
        return this.text;
      },
    }) as T & { readonly errorResponse: string | undefined };
  }
}

/** `_meta.error_response`, written as a text or as JSON, as it is sent. */
export function errorResponseText(written: string | Record<string, unknown> | undefined): string | undefined {
  return written === undefined || typeof written === "string" ? written : JSON.stringify(written);
}

/** What is found where `_meta.error_response` stands and nothing sends it. */
export const unsentErrorResponse = (plugin: string, span: Span): Diagnostic =>
  diagnostic("GW4050", span, { plugin });

/** Whether a plugin of gwc itself sends an error response: the words for what it sends name it, and each of them has words. */
export function saysErrorResponse(
  plugin: PluginDefinition,
  steps: readonly PlannedStep[],
  text: string,
  kept: unknown,
): boolean {
  const noted = new NotedText(text);
  for (const step of steps) plugin.describe?.(noted.on({ ...step, plugin: plugin.name, filter: null }), kept);
  return noted.isRead;
}
