import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { expiryQuery, nodesKey, outQuery } from "../api/observed";
import { idOf, type Kind, listQuery, type Value } from "../api/resources";
import { ExpiryMark } from "./certificate";
import { State } from "./nodes";
import type { Column } from "./resource-rows";

interface ObservedProps {
  kind: Kind;
  id: string;
  value: Value;
}

/** Columns of observed state, which no resource contains; lists neither search nor sort by them. */
export type ObservedColumn = Extract<Column, "health" | "expires">;

const CELLS: Readonly<Record<ObservedColumn, (props: ObservedProps) => React.ReactNode>> = {
  health: Health,
  expires: Expires,
};

export const isObserved = (column: Column): column is ObservedColumn => Object.hasOwn(CELLS, column);

export function ObservedCell({ column, ...of }: ObservedProps & { column: ObservedColumn }) {
  const Shown = CELLS[column];
  return (
    <td className="cell">
      <Shown {...of} />
    </td>
  );
}

const countOf = ({ nodes }: Value): number => Object.keys((nodes as object | undefined) ?? {}).length;

/** Key of the nodes that a resource uses; undefined for a service without an upstream. */
function ofWhom({ kind, id, value }: ObservedProps): string | undefined {
  if (kind !== "services") return nodesKey("upstreams", id);
  if (value["upstream_id"] !== undefined) return nodesKey("upstreams", String(value["upstream_id"]));
  return value["upstream"] === undefined ? undefined : nodesKey("services", id);
}

function Health(props: ObservedProps) {
  const { t } = useTranslation();
  const { kind, value } = props;
  const { data } = useQuery(outQuery);
  const named = kind === "services" ? value["upstream_id"] : undefined;
  const { data: upstreams } = useQuery({ ...listQuery("upstreams"), enabled: named !== undefined });
  const key = ofWhom(props);
  if (data === undefined) return null;
  if (key === undefined) return "–";
  const out = data.out.get(key) ?? [];
  if (out.length === 0) return <State state={data.isUntried(key) ? "untried" : "healthy"} />;
  const worst = out.find(({ state }) => state === "ejected") ?? out[0];
  const used = upstreams?.find((one) => idOf(one) === String(named))?.value;
  const own = kind === "services" ? (value["upstream"] as Value | undefined) : value;
  // Nodes from discovery are in no configuration.
  const total = Math.max(countOf((named === undefined ? own : used) ?? {}), out.length);
  return (
    <span title={out.map(({ host, port }) => `${host}:${port}`).join(", ")}>
      {worst ? <State state={worst.state} /> : null} {t("nodes.count", { out: out.length, count: total })}
    </span>
  );
}

/** Expiry of the presented certificate; a disabled one is not presented. */
function Expires({ id }: { id: string }) {
  const { t } = useTranslation();
  const { data } = useQuery(expiryQuery);
  if (data === undefined) return null;
  const found = data.get(id);
  return found ? <ExpiryMark {...found} /> : t("certificates.unused");
}
