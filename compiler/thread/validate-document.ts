import { isObject } from "../../runtime/abi/json-object.js";
import { parseSource } from "../1-parse/parse.js";
import { below } from "../2-validate/check.js";
import { checkOutline, deploymentPart } from "../2-validate/configuration.js";
import { ownId, validateResource } from "../2-validate/resource.js";
import { Inventory } from "../3-resolve/inventory.js";
import { checkPartialResources } from "../3-resolve/standalone-route.js";
import { resolveUpstream } from "../3-resolve/upstream.js";
import { plannedRoute } from "../4-plan/parts.js";
import { planSettings } from "../4-plan/plan-settings.js";
import { adminErrorText } from "../diagnostics/admin-text.js";
import { planMetadata } from "../log/metadata.js";
import { type Diagnostic, isError, type Report } from "../model/diagnostic.js";
import type { PlanSettings } from "../model/plan-settings.js";
import { type Kind, kinds, type Resource } from "../model/resource.js";
import type { Spanned } from "../model/source.js";
import { pluginNames } from "../plugin/registry.js";

/** Error as `POST /configs/validate` returns it (reference 1.9). */
interface DocumentError {
  resource_type: string;
  resource_id?: string;
  /** Index in the list of its kind, from 0. */
  index?: number;
  error: string;
}

export interface ValidatedDocument {
  /** Reason why the text is no document at all. */
  fault?: string;
  errors: DocumentError[];
  diagnostics: Diagnostic[];
}

/** Limit, after which no further resource is checked, and the response has at most as many. */
const MAX_ERRORS = 100;

/** Targets of references may be outside of the document. */
const ALONE = { answers: () => true, tlsListener: true, incomplete: true };

/** Checks each resource by itself, including plugins and conditions. */
export function validateDocument(text: string, format: "json" | "yaml"): ValidatedDocument {
  const { document, diagnostics } = parseSource({ name: "POST /gw/admin/configs/validate", text, format });
  if (!document || diagnostics.length > 0)
    return { fault: adminErrorText(diagnostics), errors: [], diagnostics };
  const found: ValidatedDocument = { errors: [], diagnostics: [] };
  const outline = checkOutline(document);
  take(found, outline, { resource_type: "configs" });
  if (!isObject(document.value)) return found;
  const isFine = outline.length === 0;
  const settings = planSettings(isFine ? deploymentPart(document.value) : null, isFine);
  let unread = 0;
  for (const kind of kinds()) {
    const list = document.value[kind];
    if (!Array.isArray(list)) continue;
    const seen = new Set<string>();
    for (const index of list.keys()) {
      if (found.errors.length >= MAX_ERRORS) {
        unread += list.length - index;
        break;
      }
      const located = below(document, [kind, index]);
      const id = ownId(kind, located.value);
      const named = { resource_type: kind, ...(id !== undefined && { resource_id: id }), index };
      if (id !== undefined && seen.has(id))
        found.errors.push({ ...named, error: `found duplicate id ${id} in ${kind}` });
      if (id !== undefined) seen.add(id);
      take(found, faultsOf(kind, located, settings), named);
    }
  }
  if (unread > 0) found.errors.push({ resource_type: "configs", error: unreadText(unread) });
  return found;
}

const unreadText = (count: number) =>
  `${count} more ${count === 1 ? "resource was" : "resources were"} not validated: ${MAX_ERRORS} errors are the limit`;

/** Reports the first error in schema order for the resource. */
function take(
  found: ValidatedDocument,
  diagnostics: readonly Diagnostic[],
  named: Omit<DocumentError, "error">,
): void {
  const errors = diagnostics.filter(isError);
  if (errors.length === 0) return;
  found.errors.push({ ...named, error: adminErrorText(errors) });
  found.diagnostics.push(...errors);
}

function faultsOf(kind: Kind, located: Spanned, settings: PlanSettings): Diagnostic[] {
  const { resource, diagnostics } = validateResource(kind, located, { plugins: pluginNames() });
  if (!resource) return diagnostics;
  const found = [...diagnostics];
  checkAlone(resource, settings, (finding) => found.push(finding));
  return found;
}

/** Checks plugins, condition and nodes, as far as they do not depend on other resources. */
function checkAlone(resource: Resource, settings: PlanSettings, report: Report): void {
  switch (resource.kind) {
    case "routes":
    case "services":
    case "plugin_configs":
    case "global_rules":
      for (const route of checkPartialResources([resource], new Inventory(), ALONE, report))
        plannedRoute(route, report, undefined, settings);
      return;
    case "upstreams":
      resolveUpstream(resource, report);
      return;
    case "plugin_metadata":
      planMetadata(resource.id, resource as Resource<Record<string, unknown>>, report);
      return;
    default:
      return;
  }
}
