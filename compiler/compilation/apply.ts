import { idSpan } from "../3-resolve/duplicates.js";
import { checkNewReferences, checkReferences } from "../3-resolve/route.js";
import { stillUsedText } from "../diagnostics/admin-text.js";
import type { DiagnosticCollector } from "../diagnostics/collector.js";
import { diagnostic } from "../diagnostics/report.js";
import { startOfFile } from "../model/diagnostic.js";
import type { Change } from "../model/input.js";
import { adminPath, type Resource, type ResourceName, singular } from "../model/resource.js";
import { type Affected, addAffected, addAuthenticating, nothingAffected } from "./affected.js";
import { parseAdminBody } from "./frontend.js";
import { Uses } from "./uses.js";
import type { Workspace } from "./workspace.js";

export interface Applied {
  affected: Affected;
  /** Resources deleted by force while others name them. */
  absent: ResourceName[];
}

interface Removal {
  previous: Resource;
  force: boolean;
}

/** Applies one transaction. References are checked on the result. */
export function applyChanges(
  workspace: Workspace,
  changes: readonly Change[],
  findings: DiagnosticCollector,
): Applied {
  const affected = nothingAffected();
  const uses = new Uses(workspace.inventory);
  const removals: Removal[] = [];
  const partial: Resource[] = [];
  // A dangling reference rejects the write, so an accepted change leaves none.
  workspace.journal.record(() => workspace.inventory.forgetMeant());
  for (const change of changes) {
    const { kind, id } = "put" in change ? change.put : change.remove;
    const previous = workspace.inventory.get(kind, id);
    if (previous !== undefined && previous.from !== "store") {
      findings.report(staticResource(previous, "put" in change ? (change.put.method ?? "PUT") : "DELETE"));
      continue;
    }
    if (previous) uses.note(previous);
    if ("put" in change) {
      if (!put(workspace, change.put, { findings, partial, uses })) continue;
    } else {
      workspace.resolver.remove(kind, id);
      if (previous) removals.push({ previous, force: change.remove.force === true });
    }
    addAffected(affected, workspace.inventory, kind, id, previous === undefined || "remove" in change);
    if (kind === "consumers") addAuthenticating(affected, workspace.resolver.authenticating);
  }
  uses.addChanged(affected);
  const absent = removals.flatMap((removal) => checkRemoval(workspace, removal, findings));
  for (const change of changes) {
    const written = "put" in change && workspace.inventory.get(change.put.kind, change.put.id);
    if (written) checkNewReferences(written, workspace.inventory, findings.report);
  }
  for (const resource of partial) checkWrittenReferences(resource, workspace, findings);
  return { affected, absent };
}

/** Runs after all changes of a write with another error: the reference checks references before plugins. */
function checkWrittenReferences(
  resource: Resource,
  { inventory }: Workspace,
  { report }: DiagnosticCollector,
): void {
  checkReferences(resource, inventory, report);
  checkNewReferences(resource, inventory, report);
}

function put(
  workspace: Workspace,
  written: Extract<Change, { put: object }>["put"],
  { findings, partial, uses }: { findings: DiagnosticCollector; partial: Resource[]; uses: Uses },
): boolean {
  const { resource, diagnostics, partial: rest } = parseAdminBody(written);
  findings.addAll(diagnostics);
  if (rest) partial.push(rest);
  if (!resource) return false;
  uses.note(resource);
  workspace.resolver.setAbsence(written.kind, written.id, undefined);
  workspace.resolver.put(resource);
  return true;
}

function checkRemoval(
  workspace: Workspace,
  { previous, force }: Removal,
  findings: DiagnosticCollector,
): Applied["absent"] {
  const { kind, id } = previous;
  const [user] = workspace.inventory.users(kind, id);
  if (!user || workspace.inventory.get(kind, id)) return [];
  // References to it are not reported again as dangling.
  workspace.resolver.setAbsence(kind, id, "deleted");
  if (force) return [{ kind, id }];
  const users = `${singular(user.kind)} "${user.id}"`;
  const note = { message: `${users} names it here`, span: idSpan(user) };
  const found = diagnostic("GW3004", undefined, { kind: singular(kind), id, user: users }, { notes: [note] });
  findings.report({ ...found, errorMessage: stillUsedText(kind, user) });
  return [];
}

function staticResource(resource: Resource, method: string) {
  const span = idSpan(resource);
  const place = `${span.file}:${span.start.line}`;
  const written = startOfFile(`${method} /gw/admin/${adminPath(resource.kind)}/${resource.id}`);
  return diagnostic(
    "GW3003",
    written,
    { kind: singular(resource.kind), id: resource.id, place },
    { notes: [{ message: "it is defined here", span }] },
  );
}
