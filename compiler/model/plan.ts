import type { Credentials } from "../../runtime/abi/log.js";

/** "routes/shop plugins.proxy-rewrite.headers" (`config-path.ts`). */
export type ConfigPath = string;

/** Piece of a text with variables. Literals are byte strings (UTF-8 bytes, one character each). */
export type TextPart =
  | { literal: string }
  | { variable: string; fallback?: string }
  /** Capture of the regex_uri pair that matched. It is data, never expanded again. */
  | { capture: number };
export type Text = TextPart[];

/** PCRE pattern and its exact JavaScript translation. */
export interface Regex {
  pattern: string;
  options: string;
  source: string;
  flags: string;
  /** Option `u`: the subject is decoded as UTF-8 before the match and encoded after it. */
  utf8: boolean;
  engine: Engine;
  /** Reason for the engine, in one line. */
  cost: string;
  /** Pattern for the linear engine; absent with the backtracking one. */
  linear?: LinearPattern;
}

interface LinearPattern {
  source: string;
  /** Number in `source` of each capture of the pattern; 0 for a capture that is not used. */
  groups: readonly number[];
  /** Captures of `source` that hold a line feed behind the match. */
  ends: readonly number[];
  /** A match at the end of a non-empty text does not count. */
  notAtEnd?: true;
  /** Maximum bytes that still go to the backtracking engine. */
  upTo: number;
}

export type Operator = "==" | "~=" | ">" | ">=" | "<" | "<=" | "~~" | "~*" | "in" | "has" | "ipmatch";

export type Operand =
  | { kind: "text"; value: string }
  | { kind: "number"; value: number }
  | { kind: "boolean"; value: boolean }
  | { kind: "null" }
  | { kind: "list"; values: (string | number)[] }
  | { kind: "regex"; regex: Regex }
  | { kind: "addresses"; values: string[] };

/** Condition of reference section 4. "nand" is `!AND`, "nor" is `!OR`. */
export type Condition =
  | { kind: "always" }
  | { kind: "and" | "or" | "nand" | "nor"; items: Condition[] }
  | {
      kind: "compare";
      variable: string;
      operator: Operator;
      negated: boolean;
      operand: Operand;
      origin: ConfigPath;
      /**
       * Outcome, negation included, that is the same for each request under the route's methods, hosts and
       * paths; absent if requests differ. Emit targets may leave such a comparison out.
       */
      proven?: boolean;
    };

export interface HeaderAction {
  action: "add" | "remove" | "set";
  name: string;
  /** One text for each line to add; exactly one for set; none for remove. */
  values: Text[];
  origin: ConfigPath;
}

export type StepPhase = "rewrite" | "access" | "headerFilter" | "acknowledge" | "log";

/** Work of one plugin instance in one phase. The plugin types `data` in `plugins/<plugin>/index.ts`. */
export interface Step {
  plugin: string;
  phase: StepPhase;
  origin: ConfigPath;
  /** `_meta.filter`, evaluated in this phase. */
  filter: Condition | null;
  /** The access step captures the request body: it runs even if an earlier plugin has responded. */
  capturesRequest?: true;
  /** `_meta.error_response`: body of this plugin's local replies with a status of 400 or more. */
  errorResponse?: string;
  data: unknown;
}

/** Shared resource that a plugin opens. `data` belongs to the plugin; secrets in it are references. */
export interface PlannedResource {
  plugin: string;
  origin: ConfigPath;
  data: unknown;
}

export interface PlannedPipeline {
  kind: "route" | "global_rule";
  id: string;
  origin: ConfigPath;
  /** Head line of the module: "GET, POST /orders/* to upstream \"orders\"". */
  title: string;
  /** `vars` of the route, or null. */
  match: Condition | null;
  /** Shared resources in the plugins' order; absent if there are none. */
  resources?: PlannedResource[];
  /** Names from which plugins take credentials; absent if there are none. */
  credentials?: Credentials;
  /** In execution order: by phase, then priority descending, then nominal priority and name. */
  steps: Step[];
}

/** New request target: path and, if the template has a "?", query. Literals are encoded already. */
export interface TargetTemplate {
  path: Text;
  query: Text | null;
}

/** V8's backtracking engine, V8's linear one (flag `l`), or re2js. */
export type Engine = "backtracking" | "linear" | "re2";

/** Literal, or capture; `$0` is capture 0. */
export type ReplacementPart = { literal: string } | { capture: number };
