import { diagnostic } from "../diagnostics/report.js";
import type { Diagnostic, Report } from "../model/diagnostic.js";
import { adminPath, type Resource, singular } from "../model/resource.js";
import type { Inventory } from "./inventory.js";

/** Keeps the first resource of an id. */
export function withoutDuplicates(resources: readonly Resource[], report: Report): Resource[] {
  const first = new Map<string, Resource>();
  for (const resource of resources) {
    const key = `${resource.kind}/${resource.id}`;
    const earlier = first.get(key);
    if (earlier) report(duplicate(resource, earlier));
    else first.set(key, resource);
  }
  return [...first.values()];
}

/** Reports duplicates with other mistakes, so that mending those reveals no new error. */
export function checkPartialDuplicates(
  partial: readonly Resource[],
  inventory: Pick<Inventory, "get">,
  report: Report,
): void {
  const seen = new Map<string, Resource>();
  for (const resource of partial) {
    if (resource.id === "") continue;
    const key = `${resource.kind}/${resource.id}`;
    const other = seen.get(key) ?? inventory.get(resource.kind, resource.id);
    seen.set(key, resource);
    if (other === undefined || other.from === "store") continue;
    report(isBefore(resource, other) ? duplicate(other, resource) : duplicate(resource, other));
  }
}

function isBefore(one: Resource, other: Resource): boolean {
  const [a, b] = [idSpan(one), idSpan(other)];
  return a.file === b.file && a.start.line < b.start.line;
}

function duplicate(resource: Resource, earlier: Resource): Diagnostic {
  const code = resource.from === earlier.from ? "GW3001" : "GW3002";
  const [shown, other] =
    code === "GW3002" && resource.from === "store" ? [earlier, resource] : [resource, earlier];
  const message = other.from === "store" ? "the stored one is here" : "the first one is here";
  return diagnostic(
    code,
    idSpan(shown),
    { kind: singular(resource.kind), kinds: adminPath(resource.kind), id: resource.id },
    { notes: [{ message, span: idSpan(other) }] },
  );
}

/** Returns the span of the whole resource if its key is the id, as for plugin_metadata. */
export function idSpan(resource: Resource): ReturnType<Resource["spans"]["value"]> {
  return resource.spans.value([resource.kind === "consumers" ? "username" : "id"]);
}
