import type { TypedStep } from "./definition.js";

/** Header; name and value are byte strings. */
export type Field = [name: string, value: string];

/** State of one exchange between the steps of a plugin, as `gwc test-plugin` predicts it. */
export interface OracleState {
  readonly request: {
    readonly method: string;
    readonly target: string;
    readonly headers: readonly Field[];
    readonly body: string;
  };
  /** As sent, without the headers that the gateway adds. */
  upstream: { method: string; target: string; headers: Field[]; body: string };
  /** Set in a request phase; undefined: the request goes upstream. */
  localReply: { status: number; body: string; headers: Field[] } | undefined;
  /** To the client; undefined in the request phases. */
  response: { status: number; headers: Field[]; body: string } | undefined;
}

/**
 * Applies a step to the state: the export `oracle` of `oracle.js` beside the entry of a package. It shares no
 * code with the template.
 */
export type Oracle<Data = unknown> = (step: TypedStep<Data>, state: OracleState) => void | Promise<void>;
