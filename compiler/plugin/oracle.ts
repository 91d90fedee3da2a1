import type { TypedStep } from "./definition.js";

/** A header line; texts are byte strings. */
export type Field = [name: string, value: string];

/** One request on its way through the steps of a plugin, as far as `gwc test-plugin` foresees it. */
export interface OracleState {
  readonly request: {
    readonly method: string;
    readonly target: string;
    readonly headers: readonly Field[];
    readonly body: string;
  };
  /** As it will be sent, without the fields that the gateway adds. */
  upstream: { method: string; target: string; headers: Field[]; body: string };
  /** The plugin's own answer in a request phase: nothing goes upstream. */
  localReply: { status: number; body: string; headers: Field[] } | undefined;
  /** In the response phases. */
  response: { status: number; headers: Field[]; body: string } | undefined;
}

/** `oracle` of the module `oracle.js` beside a package's entry: what a step does, sharing no code with the template. */
export type Oracle<Data = unknown> = (step: TypedStep<Data>, state: OracleState) => void | Promise<void>;
