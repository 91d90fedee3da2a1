import { Badge, Button, Group, Skeleton, Stack, Table, Text, Title } from "@mantine/core";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { type Change, historyQuery } from "../api/history";
import { historyRoute } from "../app/router";
import { ChangeDrawer } from "../editor/change-drawer";
import { ColumnHeads } from "./column-heads";
import { useExport } from "./export-button";
import { LoadFailed } from "./failed";
import { HistorySearch } from "./history-search";
import { exactly, fromNow } from "./times";

export function History() {
  const { t } = useTranslation();
  const asked = historyRoute.useSearch();
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    ...historyQuery(asked),
    placeholderData: keepPreviousData,
  });
  const [opened, setOpened] = useState<number>();
  const { button, outcome } = useExport();
  const changes = data?.pages.flatMap(({ list }) => list);
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Title order={1}>{t("page.history")}</Title>
        {button}
      </Group>
      {outcome}
      {error && !data ? <LoadFailed error={error} retry={() => void refetch()} /> : null}
      <HistorySearch />
      {changes === undefined && !error ? <Skeleton h={240} aria-busy /> : null}
      {changes?.length === 0 ? <Nothing isFiltered={Object.values(asked).some(Boolean)} /> : null}
      {changes && changes.length > 0 ? <Text c="dimmed">{t("history.how")}</Text> : null}
      {changes && changes.length > 0 ? (
        <Table.ScrollContainer minWidth={720}>
          <Table aria-label={t("page.history")}>
            <ColumnHeads
              names={(["time", "who", "what", "fields", "why"] as const).map((column) =>
                t(`history.${column}`),
              )}
            />
            <Table.Tbody>
              {changes.map((change) => (
                <ChangeRow key={change.number} change={change} onOpen={() => setOpened(change.number)} />
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      ) : null}
      {hasNextPage ? (
        <Group>
          <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {t("history.older")}
          </Button>
        </Group>
      ) : null}
      <ChangeDrawer number={opened} onClose={() => setOpened(undefined)} />
    </Stack>
  );
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  const { t } = useTranslation();
  if (!isFiltered) return <Text>{t("empty.history")}</Text>;
  return (
    <Group gap="md">
      <Text>{t("history.no_match")}</Text>
      <Button
        variant="default"
        size="compact-sm"
        renderRoot={(props) => <Link to="/history" search={{}} {...props} />}
      >
        {t("list.show_all")}
      </Button>
    </Group>
  );
}

/** Methods with a name of their own: expiries without a user, and adoptions by files. */
const OWN_WORDS = { EXPIRE: "expired", ADOPT: "adopted" } as const;
const COLOURS = { made: "green", changed: "blue", deleted: "red", expired: "red", adopted: "gray" } as const;

function ChangeRow({ change, onOpen }: { change: Change; onOpen: () => void }) {
  const { t, i18n } = useTranslation();
  const { number, time, key, address, note, method, did, kind, id, changed, reverts } = change;
  const { origin, place, reload } = change;
  const deed = method === "EXPIRE" || method === "ADOPT" ? OWN_WORDS[method] : did;
  const name = `${kind}/${id}`;
  const shown = exactly(time, i18n.language);
  return (
    <Table.Tr>
      <Table.Td>
        <time dateTime={time} title={time} className="unbroken">
          {shown}
        </time>
        <Text size="xs" c="dimmed" className="unbroken">
          {fromNow((Date.parse(time) - Date.now()) / 1_000, i18n.language)}
        </Text>
        <Text size="xs" c="dimmed">
          {t("history.change", { number })}
        </Text>
      </Table.Td>
      <Table.Td>
        {origin === "files" ? t("history.of_files") : (key ?? t("history.nobody"))}
        <Text size="xs" c="dimmed" className={origin === "files" ? "wrapped" : "unbroken"}>
          {origin === "files" ? place : address}
        </Text>
        <OfReload reload={reload} />
      </Table.Td>
      <Table.Td>
        <Group gap="sm" wrap="nowrap">
          <Badge variant="light" color={COLOURS[deed]}>
            {t(`history.did_${deed}`)}
          </Badge>
          <Button
            variant="subtle"
            size="compact-sm"
            onClick={onOpen}
            aria-label={t("history.open", { number, name })}
          >
            {name}
          </Button>
        </Group>
        {reverts === undefined ? null : (
          <Text size="xs" c="dimmed">
            {t("history.reverts", { number: reverts })}
          </Text>
        )}
      </Table.Td>
      <Table.Td className="code">{changed.join(", ")}</Table.Td>
      <Table.Td>{note}</Table.Td>
    </Table.Tr>
  );
}

/** Number of resources that the reload changed, if the list does not have all of them. */
function OfReload({ reload }: Pick<Change, "reload">) {
  const { t } = useTranslation();
  if (reload === undefined) return null;
  const { made, changed, deleted, kept } = reload;
  const count = made + changed + deleted;
  return count === kept ? null : (
    <Text size="xs" c="dimmed">
      {t("history.of_reload", { count, kept })}
    </Text>
  );
}
