import type { Artifact } from "../../runtime/abi/generation.js";
import { ABI } from "../../runtime/abi/version.js";
import { distinctCredentials } from "../4-plan/credentials.js";
import { metadataRow } from "../log/metadata.js";
import { moduleId, type Plan, pipelinesOf } from "../model/plan.js";
import type { Severity } from "./change.js";
import type { Drafted, DraftedSide } from "./drafted.js";
import { credentialsOf } from "./known-credentials.js";
import { lazyModules } from "./lazy-modules.js";
import { grouped, type ReportedChange, reportOf } from "./report.js";
import type { CreateSimulator, RunnableSide } from "./simulator.js";
import { diffTraffic } from "./traffic.js";

export interface Effect {
  routes: {
    /** Routes that behave differently; if not all were compared, routes that are recompiled. */
    total: number;
    /** True if every request passes the changed part, whatever its route. */
    all: boolean;
    list: Drafted["touched"];
    /** Recompiled routes that were not compared. */
    left: number;
  };
  severity: Severity;
  /** Changes as in `gwc diff`, each with the routes that change in the same way. */
  changes: (Omit<ReportedChange, "place"> & { others: string[] })[];
  notes: string[];
}

const OF_BUILD = "routes of the build that runs are not among those that are compared";

/** @param foreign plugins of packages */
export async function draftEffect(
  drafted: Drafted,
  createSimulator: CreateSimulator,
  foreign: ReadonlySet<string>,
): Promise<Effect> {
  const { touched, total, all, ofBuild, deployment, hidden } = drafted;
  const runnable = (side: DraftedSide) => ({ ...runnableSide(side), deployment, foreign });
  const [before, after] = [runnable(drafted.before), runnable(drafted.after)];
  const credentials = credentialsOf(known(drafted.before), known(drafted.after));
  const found = await diffTraffic(
    drafted.before.plan,
    drafted.after.plan,
    createSimulator(before, after, credentials),
  );
  const named = { name: "", secrets: hidden.secrets, place: () => undefined };
  const { severity, changes } = reportOf(found, named, named, hidden.open);
  const left = total - touched.length;
  const list = left > 0 ? touched : changedRoutes(changes, drafted);
  return {
    routes: { total: left > 0 ? total : list.length, all, list, left },
    severity: left > 0 && severity === "none" ? "changed" : severity,
    changes: grouped(changes).map(({ change: { place: _, ...change }, others }) => ({ ...change, others })),
    notes: ofBuild ? [OF_BUILD] : [],
  };
}

const known = ({ plan, clients }: DraftedSide) => ({ plan, resources: clients });

function changedRoutes(
  changes: readonly ReportedChange[],
  { touched, before, after }: Drafted,
): Drafted["touched"] {
  const changed = new Set(
    changes.flatMap(({ kind, severity, subject }) =>
      kind === "shared" || severity === "none" ? [] : [subject],
    ),
  );
  const own = touched.filter(({ id }) => changed.delete(id));
  const rows = new Map([...before.plan.routes, ...after.plan.routes].map(({ row }) => [row.id, row]));
  return [...own, ...[...changed].sort().map((id) => ({ id, name: rows.get(id)?.name ?? null }))];
}

function runnableSide({ plan, secrets }: DraftedSide): Omit<RunnableSide, "deployment" | "foreign"> {
  const credentials = distinctCredentials(pipelinesOf(plan));
  return { plan, artifact: artifactOf(plan), moduleOf: lazyModules(plan), credentials, secrets };
}

const artifactOf = ({ routes, globalRules, pluginMetadata = [], upstreams }: Plan): Artifact => ({
  abi: ABI,
  planHash: "",
  routes: routes.map(({ row }) => row),
  upstreams,
  globalRules: globalRules.map((rule) => ({ id: rule.id, moduleId: moduleId(rule) })),
  pluginMetadata: pluginMetadata.map(metadataRow),
  modules: [],
});
