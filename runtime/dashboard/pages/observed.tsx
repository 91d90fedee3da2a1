import type { Kind, Value } from "../api/resources";
import { Certificates } from "./certificate";
import { Nodes } from "./nodes";

/** What runs of a resource, beside what is configured: of those that there is something to see of. */
export function Observed({ kind, id, value }: { kind: Kind; id: string; value: Value }) {
  if (kind === "ssls") return <Certificates id={id} />;
  if (kind === "upstreams") return <Nodes kind={kind} id={id} />;
  if (kind !== "routes" && kind !== "services") return null;
  // What is disabled, or goes to an upstream by its id, has no nodes that run.
  const isOwn =
    value["upstream"] !== undefined && value["upstream_id"] === undefined && value["status"] !== 0;
  if (isOwn) return <Nodes kind={kind} id={id} />;
  return null;
}
