import { Badge, Stack, Table, Text, Title } from "@mantine/core";
import { IconAlertTriangle, IconCheck, IconClock, IconFlask, IconTrendingUp } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { useTranslation } from "react-i18next";
import { type NodeKind, type NodeState, nodesQuery, type UpstreamNode } from "../api/observed";
import { DataTable, Dimmed, Pending } from "./elements";
import { errorWords, exactly, fromNow } from "./formats";

const LOOKS = {
  healthy: { color: "green", Icon: IconCheck },
  untried: { color: "gray", Icon: IconClock },
  failing: { color: "yellow", Icon: IconAlertTriangle },
  slow_start: { color: "blue", Icon: IconTrendingUp },
  half_open: { color: "yellow", Icon: IconFlask },
  partly_ejected: { color: "yellow", Icon: IconAlertTriangle },
  ejected: { color: "red", Icon: IconAlertTriangle },
} as const;

const COLUMNS = ["node", "weight", "state", "in_flight", "latency", "failures"] as const;
/** Height of a table with one node; on a phone with room to scroll. */
const HEIGHT_OF_ONE = { base: 173, sm: 90 };
/** Length in ms of the window for latencies. */
const WINDOW_MS = 60_000;

const nameOf = ({ host, port }: UpstreamNode) => `${host}:${port}`;

/** Nodes of a resource with their state, polled while the page is visible. */
export function Nodes({ kind, id }: { kind: NodeKind; id: string }) {
  const { t } = useTranslation();
  const query = useQuery(nodesQuery(kind, id));
  const { data } = query;
  const before = useBefore(data);
  return (
    <Stack gap="sm" component="section" aria-label={t("nodes.title")}>
      <Title order={2}>{t("nodes.title")}</Title>
      <Pending query={query} h={HEIGHT_OF_ONE} />
      {data?.nodes.length === 0 ? <Text c="dimmed">{t("nodes.none")}</Text> : null}
      {data && data.nodes.length > 0 ? (
        <DataTable
          minWidth={640}
          aria-label={t("nodes.title")}
          columns={COLUMNS.map((column) => t(`nodes.${column}`))}
        >
          {data.nodes.map((node) => (
            <NodeRow
              key={nameOf(node)}
              node={node}
              workers={data.workers}
              before={before?.nodes.find((one) => nameOf(one) === nameOf(node))}
            />
          ))}
        </DataTable>
      ) : null}
    </Stack>
  );
}

interface Look {
  at: number;
  nodes: UpstreamNode[];
}

/** The oldest sample of the last minute; undefined with only one sample. */
function useBefore(now: Look | undefined): Look | undefined {
  const looks = useRef<Look[]>([]);
  if (now !== undefined && looks.current.at(-1)?.at !== now.at)
    looks.current = [...looks.current.filter(({ at }) => now.at - at <= WINDOW_MS), now];
  return looks.current.length > 1 ? looks.current[0] : undefined;
}

interface NodeRowProps {
  node: UpstreamNode;
  workers: number;
  before: UpstreamNode | undefined;
}

function NodeRow({ node, workers, before }: NodeRowProps) {
  const { t } = useTranslation();
  const { weight, in_flight, failures, ejections } = node;
  const failed = failedOf(node);
  return (
    <Table.Tr>
      <Table.Td className="code">{nameOf(node)}</Table.Td>
      <Table.Td>
        {weight}
        {weight === 0 ? <Dimmed size="xs">{t("nodes.unused")}</Dimmed> : null}
      </Table.Td>
      <Table.Td>
        <State state={node.state} />
        {node.state === "partly_ejected" ? (
          <Dimmed size="xs">{t("nodes.out_of", { out: node.workers.ejected, workers })}</Dimmed>
        ) : null}
      </Table.Td>
      <Table.Td>{in_flight}</Table.Td>
      <Table.Td>
        <Latency now={node} before={before} />
      </Table.Td>
      <Table.Td>
        {failed}
        {failed + ejections > 0 ? (
          <Dimmed size="xs">{t("nodes.failed", { ...failures, ejections })}</Dimmed>
        ) : null}
        <LastFailure node={node} />
      </Table.Td>
    </Table.Tr>
  );
}

function LastFailure({ node: { last_failure: last } }: { node: UpstreamNode }) {
  const { i18n } = useTranslation();
  if (last === null) return null;
  const ago = (Date.parse(last.at) - Date.now()) / 1_000;
  return (
    <Dimmed size="xs" title={exactly(last.at, i18n.language)}>
      {errorWords(last.error)}, {fromNow(Math.min(0, Math.round(ago)), i18n.language)}
    </Dimmed>
  );
}

const failedOf = ({ failures: { connect, timeout, status } }: UpstreamNode): number =>
  connect + timeout + status;

export function State({ state }: { state: NodeState }) {
  const { t } = useTranslation();
  const { color, Icon } = LOOKS[state];
  return (
    <Badge variant="light" color={color} leftSection={<Icon size={12} aria-hidden />}>
      {t(`nodes.${state}`)}
    </Badge>
  );
}

/** Mean latency of the last minute if it had requests, else since the start. */
function Latency({ now, before }: { now: UpstreamNode; before: UpstreamNode | undefined }) {
  const { t, i18n } = useTranslation();
  const { requests, milliseconds, nodes } = now.latency;
  // The counts of all ports of a host do not describe a single failing node.
  const isOthers = nodes > 1 && (now.state === "failing" || now.state === "ejected");
  if (requests === 0 || isOthers) return "–";
  const recent = requests - (before?.latency.requests ?? requests);
  const [count, sum] =
    recent > 0 ? [recent, milliseconds - (before?.latency.milliseconds ?? 0)] : [requests, milliseconds];
  const value = new Intl.NumberFormat(i18n.language, { maximumSignificantDigits: 3 }).format(sum / count);
  return (
    <>
      {t("overview.ms", { value })}
      <Dimmed size="xs">
        {t(recent > 0 ? "nodes.recent" : "nodes.since_start")}
        {nodes > 1 ? ` ${t("nodes.of_host")}` : null}
      </Dimmed>
    </>
  );
}
