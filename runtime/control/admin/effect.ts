import type { DraftedModules } from "../../../compiler/diff/draft.js";
import type { Drafted } from "../../../compiler/diff/drafted.js";
import type { CompilerThread } from "../../../compiler/thread/compiler-client.js";
import {
  component,
  type DescribedSchema,
  listOf,
  objectOf,
  orNull,
  TEXT,
  TEXT_OR_NULL,
  TEXTS,
  TRUE_OR_FALSE,
  WHOLE_NUMBER,
} from "../../process/operation.js";
import type { Inspect } from "../configuration.js";
import type { ApiResponse } from "./answer.js";

/** Detail that a dry run computes besides its diagnostics, and how it is added to the response. */
export interface DryRunQuestion {
  inspect: Inspect;
  into(answer: ApiResponse): Promise<ApiResponse>;
}

/** Detail `?dry_run=effect`: the change for traffic. The comparison runs outside of the queue of writes. */
export function effectQuestion(): DryRunQuestion {
  let drafted: Drafted | null = null;
  let compiler: CompilerThread | undefined;
  return {
    async inspect(asked, changes) {
      compiler = asked;
      drafted = await asked.draft(changes);
    },
    async into(answer) {
      if (compiler === undefined) return answer;
      const effect =
        drafted === null
          ? untold(NOTHING, "the analysis of its patterns exceeds the time limit")
          : await told(compiler, drafted);
      return { ...answer, body: { ...(answer.body as object), effect } };
    },
  };
}

/** @param of resource of the module, "routes/orders" */
export function moduleQuestion(of: string | undefined): DryRunQuestion {
  let modules: DraftedModules | null | undefined;
  return {
    async inspect(compiler, changes) {
      modules = await compiler.draftModules(changes, of);
    },
    async into(answer) {
      if (modules === undefined) return answer;
      return { ...answer, body: { ...(answer.body as object), modules } };
    },
  };
}

async function told(compiler: CompilerThread, drafted: Drafted): Promise<object> {
  const reply = await compiler.compare(drafted);
  if ("effect" in reply) return { ...reply.effect, fault: null };
  const { touched: list, total, all } = drafted;
  return untold({ list, total, all, left: total }, `cannot compare the draft: ${reply.fault}`);
}

const NOTHING = { list: [], total: 0, all: false, left: 0 };

const untold = (routes: object, fault: string) => ({
  ...{ routes, severity: null, changes: [], notes: [], fault },
});

const EXAMPLE = objectOf({
  ...{ request: TEXT, headers: TEXTS, before: component("Outcome"), after: component("Outcome") },
  differs: listOf(objectOf({ name: TEXT, before: TEXT_OR_NULL, after: TEXT_OR_NULL })),
});

export const EFFECT_SHAPES: Readonly<Record<string, DescribedSchema>> = {
  Effect: objectOf({
    routes: objectOf({
      total: { ...WHOLE_NUMBER, description: "Number of routes that behave differently." },
      all: { type: "boolean", description: "True: the change affects the requests of every route." },
      list: {
        description: "The first 100.",
        ...{ type: "array", maxItems: 200, items: objectOf({ id: TEXT, name: TEXT_OR_NULL }) },
      },
      left: { ...WHOLE_NUMBER, description: "Recompiled routes that were not compared." },
    }),
    severity: { enum: ["none", "additive", "changed", null] },
    changes: { type: "array", items: component("TrafficChange") },
    notes: { ...TEXTS, description: "Parts that the comparison does not cover." },
    fault: { ...TEXT_OR_NULL, description: "Reason why no changes are listed." },
  }),
  DraftedModules: {
    ...objectOf(
      {
        list: { ...TEXTS, description: '"routes/orders": the first 100 with different modules.' },
        total: WHOLE_NUMBER,
        module: orNull(
          objectOf({ address: TEXT, before: TEXT_OR_NULL, after: TEXT_OR_NULL, cut: TRUE_OR_FALSE }),
        ),
      },
      "Null: the analysis of the draft's patterns exceeds the time limit.",
    ),
    type: ["object", "null"],
  },
  Outcome: objectOf({ route: TEXT_OR_NULL, upstream: TEXT_OR_NULL, status: WHOLE_NUMBER }),
  TrafficChange: objectOf({
    kind: { enum: ["new", "gone", "renamed", "precedence", "matching", "actions", "shared"] },
    severity: { enum: ["none", "additive", "changed"] },
    subject: { ...TEXT, description: 'Id of the route, or "global_rules/all".' },
    to: TEXT_OR_NULL,
    removed: TEXTS,
    added: TEXTS,
    note: TEXT_OR_NULL,
    example: { ...orNull(EXAMPLE), description: "As in `gwc diff --format json`." },
    others: { ...TEXTS, description: "Routes with the same change." },
  }),
};
