import { Badge, Button, Group, SegmentedControl, Skeleton, Stack, Table, Text, Title } from "@mantine/core";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { type HistorySearch as Asked, type Change, historyQuery, ORIGINS } from "../api/history";
import { useSearchText } from "../app/address-soon";
import { ButtonLink } from "../app/links";
import { historyRoute } from "../app/router";
import { ChangeDrawer } from "../editor/change-drawer";
import { DataTable, Dimmed, LoadFailed, SearchInput } from "./elements";
import { useExport } from "./export";
import { exactly, fromNow } from "./formats";

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
        <DataTable
          minWidth={720}
          aria-label={t("page.history")}
          columns={(["time", "who", "what", "fields", "why"] as const).map((column) =>
            t(`history.${column}`),
          )}
        >
          {changes.map((change) => (
            <ChangeRow key={change.number} change={change} onOpen={() => setOpened(change.number)} />
          ))}
        </DataTable>
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
      <ButtonLink variant="default" size="compact-sm" to="/history" search={{}}>
        {t("list.show_all")}
      </ButtonLink>
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
        <Dimmed size="xs" className="unbroken">
          {fromNow((Date.parse(time) - Date.now()) / 1_000, i18n.language)}
        </Dimmed>
        <Dimmed size="xs">{t("history.change", { number })}</Dimmed>
      </Table.Td>
      <Table.Td>
        {origin === "files" ? t("history.of_files") : (key ?? t("history.nobody"))}
        <Dimmed size="xs" className={origin === "files" ? "wrapped" : "unbroken"}>
          {origin === "files" ? place : address}
        </Dimmed>
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
          <Dimmed size="xs">{t("history.reverts", { number: reverts })}</Dimmed>
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
  return count === kept ? null : <Dimmed size="xs">{t("history.of_reload", { count, kept })}</Dimmed>;
}

/** Debounce time in ms before the URL and the query change. */
const REST_MS = 200;

export function HistorySearch() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { search = "", origin, kind, id } = historyRoute.useSearch();
  const go = (next: Asked) => void navigate({ to: "/history", search: next, replace: true });
  const write = (text: string) => go({ search: text || undefined, origin, kind, id });
  const [typed, type] = useSearchText(search, write, REST_MS);
  return (
    <Group gap="md">
      <SearchInput
        flex="1 1 260px"
        maw={480}
        label={t("history.search")}
        placeholder={t("history.search_hint")}
        value={typed}
        onType={type}
      />
      <SegmentedControl
        aria-label={t("history.origin")}
        data={[
          { value: "", label: t("history.origin_all") },
          ...ORIGINS.map((value) => ({ value, label: t(`history.origin_${value}`) })),
        ]}
        value={origin ?? ""}
        onChange={(value) =>
          go({ search: search || undefined, origin: ORIGINS.find((one) => one === value), kind, id })
        }
      />
      {kind && id ? (
        <Group gap="sm">
          <Text>{t("history.only_of", { name: `${kind}/${id}` })}</Text>
          <Button
            variant="default"
            size="compact-sm"
            onClick={() => go({ search: search || undefined, origin })}
          >
            {t("list.show_all")}
          </Button>
        </Group>
      ) : null}
    </Group>
  );
}
