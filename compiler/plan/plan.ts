import type { Credentials } from "../../runtime/abi/log.js";

import type { Engine } from "../regex/engine.js";

/** Address of a part of the configuration (`origin.ts`): "routes/shop plugins.proxy-rewrite.headers". */
export type ConfigPath = string;

/** A piece of a text with variables. Literals are byte strings already (UTF-8 bytes, one character each). */
export type TextPart =
  | { literal: string }
  | { variable: string; fallback?: string }
  /** Capture of the regex_uri pair that matched; data, never expanded again. */
  | { capture: number };
export type Text = TextPart[];

/** A PCRE pattern and its exact JavaScript translation. */
export interface Regex {
  /** As the operator wrote it. */
  pattern: string;
  options: string;
  source: string;
  flags: string;
  /** Option `u`: the subject is decoded as UTF-8 before and encoded after. */
  utf8: boolean;
  engine: Engine;
  /** Why this engine, in one line. */
  cost: string;
  /** What the linear engine runs; absent with the backtracking one. */
  linear?: LinearPattern;
}

/** A pattern in the form that a linear engine takes. */
export interface LinearPattern {
  source: string;
  /** For each capture of the pattern its number in `source`; 0 for one that nobody reads. */
  groups: readonly number[];
  /** Captures of `source` that hold a line feed behind the match. */
  ends: readonly number[];
  /** A match that begins at the end of a text that is not empty is none. */
  notAtEnd?: true;
  /** Longest subject in bytes that still goes to the backtracking engine. */
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

/** Reference section 4. "nand" is `!AND`, "nor" is `!OR`. */
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
       * The outcome, negation included, that methods, hosts and paths of the route leave for each of its requests; absent where
       * requests differ in it. Targets may leave such a comparison out.
       */
      proven?: boolean;
    };

export interface HeaderAction {
  action: "add" | "remove" | "set";
  name: string;
  /** One text a line to add; exactly one for set; none for remove. */
  values: Text[];
  origin: ConfigPath;
}

export type StepPhase = "rewrite" | "access" | "headerFilter" | "acknowledge" | "log";

/** What one plugin instance does in one phase. `data` is the plugin's own, typed in `plugins/<plugin>/index.ts`. */
export interface Step {
  plugin: string;
  phase: StepPhase;
  origin: ConfigPath;
  /** `_meta.filter` (evaluated in this phase). */
  filter: Condition | null;
  /** The step of the access phase captures the request body: it is due as well where a plugin has answered before it. */
  capturesRequest?: true;
  /** `_meta.error_response`: body for answers of this plugin with a status of 400 or more. */
  errorResponse?: string;
  data: unknown;
}

/** Something with state that a plugin of the pipeline opens. `data` is the plugin's own; secrets in it are references. */
export interface PlannedResource {
  plugin: string;
  origin: ConfigPath;
  data: unknown;
}

export interface PlannedPipeline {
  /** "route" or "global_rule". */
  kind: "route" | "global_rule";
  id: string;
  origin: ConfigPath;
  /** One line for the head of the module: "GET, POST /orders/* to upstream \"orders\"". */
  title: string;
  /** `vars` of the route, or null. */
  match: Condition | null;
  /** What plugins keep open, by the plugins' order; absent when none does. */
  resources?: PlannedResource[];
  /** What plugins take credentials from; absent when none does. */
  credentials?: Credentials;
  /** In execution order: phase by phase, priority descending, ties by list order. */
  steps: Step[];
}
