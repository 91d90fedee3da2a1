import type { Kind, Value } from "../api/resources";
import { Certificates } from "./certificate";
import { Nodes } from "./nodes";
import { OwnTraffic } from "./own-traffic";

/** Observed figures of a resource next to its configuration, for kinds that have any. */
export function Observed({ kind, id, value }: { kind: Kind; id: string; value: Value }) {
  if (kind === "ssls") return <Certificates id={id} />;
  if (kind === "upstreams")
    return (
      <>
        <OwnTraffic of={`upstreams/${id}`} />
        <Nodes kind={kind} id={id} />
      </>
    );
  if (kind !== "routes" && kind !== "services") return null;
  // A resource that is disabled, or names an upstream, has no running nodes of its own.
  const isServed = value["status"] !== 0;
  const isOwn = value["upstream"] !== undefined && value["upstream_id"] === undefined && isServed;
  const of = kind === "routes" ? `routes/${id}` : isOwn ? `upstreams/service:${id}` : undefined;
  return (
    <>
      {of !== undefined && isServed ? <OwnTraffic of={of} /> : null}
      {isOwn ? <Nodes kind={kind} id={id} /> : null}
    </>
  );
}
