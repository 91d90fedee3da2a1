import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { expiryQuery } from "../api/certificates";
import { outQuery } from "../api/nodes";
import { ExpiryMark } from "./certificate";
import { State } from "./nodes";
import type { Column } from "./resource-rows";

/** Columns of what runs, which no resource says; lists are neither searched nor sorted by them. */
export type ObservedColumn = Extract<Column, "health" | "expires">;

const CELLS: Readonly<Record<ObservedColumn, (props: { id: string }) => React.ReactNode>> = {
  health: Health,
  expires: Expires,
};

export const isObserved = (column: Column): column is ObservedColumn => Object.hasOwn(CELLS, column);

export function ObservedCell({ column, id }: { column: ObservedColumn; id: string }) {
  const Shown = CELLS[column];
  return (
    <td className="cell">
      <Shown id={id} />
    </td>
  );
}

/** The nodes that are not healthy, or that all are. */
function Health({ id }: { id: string }) {
  const { t } = useTranslation();
  const { data } = useQuery(outQuery);
  if (data === undefined) return null;
  const out = data.out.get(id) ?? [];
  if (out.length === 0) return <State state={data.isUntried(id) ? "untried" : "healthy"} />;
  const worst = out.find(({ state }) => state === "ejected") ?? out[0];
  return (
    <span title={out.map(({ host, port }) => `${host}:${port}`).join(", ")}>
      {worst ? <State state={worst.state} /> : null} {t("nodes.count", { count: out.length })}
    </span>
  );
}

/** Of what is presented; a disabled one is not. */
function Expires({ id }: { id: string }) {
  const { t } = useTranslation();
  const { data } = useQuery(expiryQuery);
  if (data === undefined) return null;
  const found = data.get(id);
  return found ? <ExpiryMark {...found} /> : t("certificates.unused");
}
