import { Button, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { type Kind, listQuery } from "../api/resources";
import { useWriteRefusal } from "../api/session";
import { useSearchText } from "../app/address-soon";
import { ButtonLink } from "../app/links";
import { type ListSearch, listRoute } from "../app/router";
import { LoadFailed, SearchInput } from "./elements";
import { Rows } from "./resource-grid";
import { NARROWED_BY, rowsOf, sorted, useBringers } from "./resource-rows";
import { filtered } from "./row-filter";

/** All resources of a kind; search and order are in the URL. */
export function ResourceList() {
  const { kind } = listRoute.useParams();
  return <ListOf key={kind} kind={kind} />;
}

function ListOf({ kind }: { kind: Kind }) {
  const { q = "", sort } = listRoute.useSearch();
  const navigate = useNavigate();
  const [typed, setTyped] = useSearchText(q, (text) => {
    const search = (now: ListSearch) => ({ ...now, q: text || undefined });
    void navigate({ to: "/$kind", params: { kind }, search, replace: true });
  });
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(listQuery(kind));
  const bringers = useBringers(kind);
  const all = useMemo(() => rowsOf(data ?? [], bringers), [data, bringers]);
  const rows = useMemo(() => sorted(filtered(all, typed), sort), [all, typed, sort]);
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Group gap="sm" align="baseline">
          <Title order={1}>{t(`page.${kind}`)}</Title>
          {data ? (
            <Text c="dimmed" role="status">
              {rows.length === all.length
                ? t("list.count", { count: all.length })
                : t("list.filtered", { shown: rows.length, total: all.length })}
            </Text>
          ) : null}
        </Group>
        <AddButton kind={kind} />
      </Group>
      {all.length > 0 ? <Search kind={kind} text={typed} onType={setTyped} /> : null}
      {error && !data ? (
        <LoadFailed error={error} retry={() => void refetch()} />
      ) : !data ? (
        <Loading />
      ) : all.length === 0 ? (
        <Empty kind={kind} />
      ) : rows.length === 0 ? (
        <NothingMatches kind={kind} onAll={() => setTyped("")} />
      ) : (
        <Rows {...{ kind, rows, sort }} sought={typed} />
      )}
    </Stack>
  );
}

function AddButton({ kind }: { kind: Kind }) {
  const { t } = useTranslation();
  const why = useWriteRefusal();
  const common = { leftSection: <IconPlus size={16} aria-hidden />, children: t(`new.${kind}`) };
  return why === undefined ? (
    <ButtonLink {...common} to="/new/$kind" params={{ kind }} />
  ) : (
    <Button {...common} disabled title={why} />
  );
}

interface SearchProps {
  kind: Kind;
  text: string;
  onType(text: string): void;
}

function Search({ kind, text, onType }: SearchProps) {
  const { t } = useTranslation();
  return (
    <SearchInput
      label={t("list.search")}
      placeholder={t("list.search_hint", { narrowed: NARROWED_BY[kind].join(" ") })}
      value={text}
      onType={onType}
      onKeyDown={(event) => {
        if (event.key !== "ArrowDown") return;
        event.preventDefault();
        document.querySelector<HTMLElement>("[data-row]")?.focus();
      }}
    />
  );
}

function Loading() {
  return (
    <Stack gap={4} aria-busy>
      {[0, 1, 2, 3, 4, 5].map((line) => (
        <Skeleton key={line} h={32} />
      ))}
    </Stack>
  );
}

function Empty({ kind }: { kind: Kind }) {
  const { t } = useTranslation();
  return (
    <Stack gap="md" py="xl" align="flex-start" maw={560}>
      <Text>{t(`empty.${kind}`)}</Text>
      <AddButton kind={kind} />
    </Stack>
  );
}

function NothingMatches({ kind, onAll }: { kind: Kind; onAll(): void }) {
  const { t } = useTranslation();
  return (
    <Stack gap="md" py="xl" align="flex-start">
      <Text fw={600}>{t("list.no_match")}</Text>
      <Text>{t("list.no_match_text")}</Text>
      <ButtonLink variant="default" to="/$kind" params={{ kind }} onClick={onAll}>
        {t("list.show_all")}
      </ButtonLink>
    </Stack>
  );
}
