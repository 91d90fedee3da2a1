import { Badge, Button, Code, Group, Stack, Table, Text, Title } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconAlertTriangle } from "@tabler/icons-react";
import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { Answers } from "../api/answers.gen";
import { callAdmin, fetched } from "../api/client";
import { useWriteRefusal } from "../api/session";
import { ButtonLink } from "../app/links";
import { useQuestion } from "../app/question";
import { notifyFailure } from "../editor/rejection";
import { DataTable, Dimmed, Pending } from "./elements";
import { duration, exactly, formatBytes, fromNow } from "./formats";

/** Maximum number of users named in a row; the rest is counted. */
const SHOWN = 3;

/** Failures come second, because a phone shows only two columns. */
const COLUMNS = ["destination", "failure", "dropped", "waiting", "sent", "used_by"] as const;
const WIDTH_OF_DESTINATION = { base: 170, sm: "auto" };

export function Logs() {
  const { t } = useTranslation();
  const query = useQuery(logsQuery);
  const { data } = query;
  const rows = data?.destinations;
  const canPurge = rows?.some(isKept) ?? false;
  return (
    <Stack gap="md">
      <Title order={1}>{t("page.logs")}</Title>
      <Pending query={query} h={240} />
      {rows?.length === 0 ? <Empty /> : null}
      {rows && rows.length > 0 ? (
        <DataTable
          minWidth={900}
          aria-label={t("page.logs")}
          verticalSpacing="sm"
          columns={[
            ...COLUMNS.map((column) => t(`logs.${column}`)),
            ...(canPurge ? [t("logs.actions")] : []),
          ]}
        >
          {rows.map((row) => (
            <DestinationRow key={`${row.delivery} ${row.id}`} row={row} canPurge={canPurge} />
          ))}
        </DataTable>
      ) : null}
      {data?.spool && canPurge ? (
        <Dimmed>
          {t("logs.delivers", { directory: data.spool.directory })} <Code>gwc spool drain</Code>
        </Dimmed>
      ) : null}
    </Stack>
  );
}

function Empty() {
  const { t } = useTranslation();
  return (
    <Stack gap="md" py="xl" align="flex-start" maw={560}>
      <Text>{t("empty.logs")}</Text>
      <ButtonLink variant="default" to="/new/$kind" params={{ kind: "global_rules" }}>
        {t("new.global_rules")}
      </ButtonLink>
    </Stack>
  );
}

/** Reports whether pending records are on disk and can be purged. */
const isKept = ({ delivery }: LogDestination) => delivery === "durable";

function DestinationRow({ row, canPurge }: { row: LogDestination; canPurge: boolean }) {
  const { t, i18n } = useTranslation();
  const { kind, address, delivery, sent, dropped, used_by, used_by_more } = row;
  const number = new Intl.NumberFormat(i18n.language);
  return (
    <Table.Tr>
      <Table.Td w={WIDTH_OF_DESTINATION}>
        <Text size="sm" className="code wrapped">
          {address === "" ? row.id.slice(0, 12) : address}
        </Text>
        <Group gap="xs">
          <Dimmed size="xs">{kind}</Dimmed>
          <Badge size="sm" variant="light" color={delivery === "durable" ? "blue" : "gray"}>
            {t(`logs.${delivery}`)}
          </Badge>
        </Group>
      </Table.Td>
      <Table.Td maw={280}>
        <Failure failure={row.failure} />
      </Table.Td>
      <Table.Td>
        {dropped === 0 ? (
          0
        ) : (
          <Group gap={4} wrap="nowrap" c="red">
            <IconAlertTriangle size={16} aria-hidden />
            {number.format(dropped)}
          </Group>
        )}
      </Table.Td>
      <Table.Td>
        <Waiting row={row} />
      </Table.Td>
      <Table.Td>{number.format(sent)}</Table.Td>
      <Table.Td>
        <UsedBy users={used_by} more={used_by_more} />
      </Table.Td>
      {canPurge ? <Table.Td>{isKept(row) ? <Purge row={row} /> : null}</Table.Td> : null}
    </Table.Tr>
  );
}

function UsedBy({ users, more }: { users: readonly LogUser[]; more: number }) {
  const { t } = useTranslation();
  if (users.length === 0) return <Text size="sm">{t("logs.unused")}</Text>;
  const left = users.length - SHOWN + more;
  return (
    <Stack gap={2}>
      {users.slice(0, SHOWN).map(({ kind, id, routes }) => (
        <Text size="sm" key={`${kind}/${id}`}>
          <Link to="/$kind/$id" params={{ kind, id }} className="code">
            {`${kind}/${id}`}
          </Link>
          {kind === "plugin_configs" || kind === "services"
            ? ` ${t("logs.routes", { count: routes })}`
            : null}
        </Text>
      ))}
      {left > 0 ? <Text size="sm">{t("uses.more", { count: left })}</Text> : null}
    </Stack>
  );
}

function Waiting({ row: { waiting, delivery, max_bytes } }: { row: LogDestination }) {
  const { t, i18n } = useTranslation();
  const { entries, bytes, oldest_seconds } = waiting;
  const unit = (value: number) => formatBytes(value, i18n.language);
  return (
    <Stack gap={0}>
      <Text size="sm">{t("logs.entries", { count: entries })}</Text>
      {bytes > 0 ? (
        <Dimmed size="xs">
          {t(delivery === "durable" ? "logs.on_disk" : "logs.in_memory", { bytes: unit(bytes) })}
          {max_bytes === null ? null : ` ${t("logs.of", { bytes: unit(max_bytes) })}`}
        </Dimmed>
      ) : null}
      {oldest_seconds === null ? null : (
        <Dimmed size="xs">{t("logs.oldest", { age: duration(oldest_seconds, i18n.language) })}</Dimmed>
      )}
    </Stack>
  );
}

function Failure({ failure }: { failure: LogDestination["failure"] }) {
  const { t, i18n } = useTranslation();
  if (failure === null) return <Text size="sm">{t("logs.no_failure")}</Text>;
  const { message, at, over } = failure;
  const ago = fromNow((Date.parse(at) - Date.now()) / 1_000, i18n.language);
  return (
    <Stack gap={0}>
      <Group gap={4} wrap="nowrap" {...(!over && { c: "red" })}>
        {over ? null : <IconAlertTriangle size={16} aria-hidden />}
        <Text size="sm" fw={over ? undefined : 600}>
          {t(over ? "logs.failed_before" : "logs.failing")}
        </Text>
      </Group>
      <Text size="sm" className="wrapped">
        {message}
      </Text>
      <Text size="xs" c="dimmed" component="time" dateTime={at} title={exactly(at, i18n.language)}>
        {ago}
      </Text>
    </Stack>
  );
}

function Purge({ row: { id, address, kind, waiting } }: { row: LogDestination }) {
  const { t } = useTranslation();
  const why = useWriteRefusal();
  const client = useQueryClient();
  const question = useQuestion();
  const isReader = why !== undefined;
  async function go() {
    try {
      const count = await purge(id);
      notifications.show({
        message: t("logs.purged", { count, address }),
        closeButtonProps: { "aria-label": t("action.close") },
      });
    } catch (error) {
      notifyFailure(t("logs.not_purged"), error);
    }
    await client.invalidateQueries({ queryKey: logsQuery.queryKey });
  }
  const ask = () =>
    question({
      title: t("logs.purge_ask", { count: waiting.entries }),
      text: <Text size="sm">{t("logs.purge_text", { kind, address })}</Text>,
      confirm: t("logs.purge_do", { count: waiting.entries }),
      onConfirm: go,
    });
  return (
    <Button
      size="xs"
      variant="default"
      disabled={isReader || waiting.bytes === 0}
      title={why ?? (waiting.bytes === 0 ? t("logs.nothing") : undefined)}
      aria-label={t("logs.purge_of", { address })}
      onClick={ask}
    >
      {t("logs.purge")}
    </Button>
  );
}

type LogsAnswer = Answers["readLogs"];
export type LogDestination = LogsAnswer["destinations"][number];
export type LogUser = LogDestination["used_by"][number];

/** Polled while the page is visible. */
export const logsQuery = queryOptions({
  queryKey: ["logs"],
  queryFn: fetched<LogsAnswer>("logs"),
  refetchInterval: 3_000,
});

/** Discards records that wait on disk. @returns the number of entries */
export const purge = async (id: string): Promise<number> =>
  (
    await callAdmin<Answers["purgeLogs"]>(`logs/${encodeURIComponent(id)}/purge`, {
      method: "POST",
      body: {},
    })
  ).body.entries;
