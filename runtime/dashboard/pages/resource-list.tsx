import { Badge, Button, Group, Skeleton, Stack, Text, TextInput, Title, UnstyledButton } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconPlus, IconSearch, IconSortAscending, IconSortDescending } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { defaultRangeExtractor, useVirtualizer } from "@tanstack/react-virtual";
import { type CSSProperties, type KeyboardEvent, useEffect, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { type Kind, listQuery } from "../api/resources";
import { useWriteRefusal } from "../api/session";
import { type ListSearch, listRoute } from "../app/router";
import { LoadFailed } from "./failed";
import { isObserved, ObservedCell } from "./observed-cell";
import {
  type Bringers,
  bringersOf,
  COLUMNS,
  type Column,
  filtered,
  type Row,
  rowsOf,
  sorted,
} from "./resource-rows";

const ROW_HEIGHT = 36;
/** Pixels; narrower windows scroll sideways. */
const LEAST_COLUMN = 92;

/** All resources of a kind; what is searched and how it is sorted stands in the URL. */
export function ResourceList() {
  const { kind } = listRoute.useParams();
  return <ListOf key={kind} kind={kind} />;
}

function ListOf({ kind }: { kind: Kind }) {
  const { q = "", sort } = listRoute.useSearch();
  const [typed, setTyped] = useSought(kind, q);
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
      {all.length > 0 ? <Search text={typed} onType={setTyped} /> : null}
      {error && !data ? (
        <LoadFailed error={error} retry={() => void refetch()} />
      ) : !data ? (
        <Loading />
      ) : all.length === 0 ? (
        <Empty kind={kind} />
      ) : rows.length === 0 ? (
        <NothingMatches kind={kind} onAll={() => setTyped("")} />
      ) : (
        <Rows kind={kind} rows={rows} sort={sort} />
      )}
    </Stack>
  );
}

/** What routes and services have of others, which a search for plugins looks at too. */
function useBringers(kind: Kind): Bringers {
  const enabled = kind === "routes" || kind === "services";
  const { data: configs } = useQuery({ ...listQuery("plugin_configs"), enabled });
  const { data: services } = useQuery({ ...listQuery("services"), enabled: kind === "routes" });
  return useMemo(() => bringersOf(configs ?? [], services ?? []), [configs, services]);
}

function AddButton({ kind }: { kind: Kind }) {
  const { t } = useTranslation();
  const why = useWriteRefusal();
  return why === undefined ? (
    <Button
      leftSection={<IconPlus size={16} aria-hidden />}
      renderRoot={(props) => <Link to="/new/$kind" params={{ kind }} {...props} />}
    >
      {t(`new.${kind}`)}
    </Button>
  ) : (
    <Button disabled title={why} leftSection={<IconPlus size={16} aria-hidden />}>
      {t(`new.${kind}`)}
    </Button>
  );
}

/** Until it stands in the address: browsers refuse some hundred changes of it within seconds. */
const TO_ADDRESS_MS = 100;

/** What is searched: at once here, soon after in the address, which wins when somebody else changes it. */
function useSought(kind: Kind, q: string): [typed: string, type: (text: string) => void] {
  const navigate = useNavigate();
  const [typed, setTyped] = useState(q);
  const written = useRef(q);
  useEffect(() => {
    if (written.current === q) return;
    written.current = q;
    setTyped(q);
  }, [q]);
  const address = useDebouncedCallback((text: string) => {
    written.current = text;
    const search = (now: ListSearch) => ({ ...now, q: text || undefined });
    void navigate({ to: "/$kind", params: { kind }, search, replace: true });
  }, TO_ADDRESS_MS);
  const type = (text: string) => {
    setTyped(text);
    address(text);
  };
  return [typed, type];
}

function Search({ text, onType }: { text: string; onType(text: string): void }) {
  const { t } = useTranslation();
  return (
    <TextInput
      type="search"
      aria-label={t("list.search")}
      placeholder={t("list.search_hint")}
      leftSection={<IconSearch size={16} aria-hidden />}
      value={text}
      onChange={({ currentTarget: { value } }) => onType(value)}
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
      <Button
        variant="default"
        renderRoot={(props) => <Link to="/$kind" params={{ kind }} {...props} onClick={onAll} />}
      >
        {t("list.show_all")}
      </Button>
    </Stack>
  );
}

/** Rows that Page Up and Page Down go. */
const PAGE_ROWS = 10;

/** Where a key leads from a row; undefined: it is no such key. */
function rowAfter(key: string, at: number, last: number): number | undefined {
  const steps: Record<string, number> = {
    ArrowDown: 1,
    ArrowUp: -1,
    PageDown: PAGE_ROWS,
    PageUp: -PAGE_ROWS,
  };
  if (key === "Home" || key === "End") return key === "Home" ? 0 : last;
  const step = Object.hasOwn(steps, key) ? steps[key] : undefined;
  return step === undefined ? undefined : Math.max(0, Math.min(last, at + step));
}

/** Those that many resources say nothing of, which are left out where none does. */
const SELDOM: ReadonlySet<Column> = new Set(["methods", "hosts", "name"]);

const columnsOf = (kind: Kind, rows: readonly Row[]) =>
  COLUMNS[kind].filter(([column]) => !SELDOM.has(column) || rows.some(({ cells }) => cells[column] !== ""));

/** Only the rows in sight are in the document, and that which has the focus. Arrows, Page Up and Down, Home and End move between them. */
function Rows({ kind, rows, sort }: { kind: Kind; rows: readonly Row[]; sort: string | undefined }) {
  const { t } = useTranslation();
  const scroller = useRef<HTMLDivElement>(null);
  const columns = columnsOf(kind, rows);
  const template = columns
    .map(([, width]) => (width.endsWith("fr") ? `minmax(80px, ${width})` : width))
    .join(" ");
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
    rangeExtractor: (range) => {
      const focused = document.activeElement?.getAttribute("data-row");
      const inSight = defaultRangeExtractor(range);
      const at = focused == null ? Number.NaN : Number(focused);
      return Number.isNaN(at) || at >= rows.length || inSight.includes(at) ? inSight : [...inSight, at];
    },
  });
  function move(event: KeyboardEvent, at: number) {
    const next = rowAfter(event.key, at, rows.length - 1);
    if (next === undefined) return;
    event.preventDefault();
    virtual.scrollToIndex(next);
    requestAnimationFrame(() =>
      scroller.current?.querySelector<HTMLElement>(`[data-row="${next}"]`)?.focus(),
    );
  }
  const layout = { gridTemplateColumns: template, minWidth: columns.length * LEAST_COLUMN };
  return (
    <div className="scroller" ref={scroller} style={{ maxHeight: "calc(100vh - 190px)" }}>
      <table className="grid" aria-label={t(`page.${kind}`)} aria-rowcount={rows.length + 1}>
        <thead className="grid-head">
          <tr aria-rowindex={1} className="grid-row" style={layout}>
            {columns.map(([column]) => (
              <Heading key={column} kind={kind} column={column} sort={sort} />
            ))}
          </tr>
        </thead>
        <tbody className="grid-body" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => (
            <Line
              key={rows[index]?.id}
              kind={kind}
              columns={columns}
              row={rows[index]}
              index={index}
              style={{ ...layout, transform: `translateY(${start}px)` }}
              onKeyDown={(event) => move(event, index)}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface LineProps {
  kind: Kind;
  columns: readonly [Column, string][];
  row: Row | undefined;
  index: number;
  style: CSSProperties;
  onKeyDown(event: KeyboardEvent): void;
}

function Line({ kind, columns, row, index, style, onKeyDown }: LineProps) {
  if (row === undefined) return null;
  return (
    <tr aria-rowindex={index + 2} className="grid-row grid-line" style={style}>
      {columns.map(([column]) =>
        column === "id" ? (
          <td key={column} className="cell code">
            <Link
              to="/$kind/$id"
              params={{ kind, id: row.id }}
              className="row-link"
              data-row={index}
              onKeyDown={onKeyDown}
            >
              {row.id}
            </Link>
          </td>
        ) : column === "status" ? (
          <Status key={column} enabled={row.enabled} />
        ) : isObserved(column) ? (
          <ObservedCell key={column} column={column} id={row.id} />
        ) : (
          <Cell key={column} column={column} text={row.cells[column]} />
        ),
      )}
    </tr>
  );
}

function Heading({ kind, column, sort }: { kind: Kind; column: Column; sort: string | undefined }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const direction = sort === column ? "ascending" : sort === `-${column}` ? "descending" : "none";
  const next = direction === "ascending" ? `-${column}` : direction === "descending" ? undefined : column;
  if (isObserved(column))
    return (
      <th scope="col" className="cell">
        <Text span fz="sm" fw={600}>
          {t(`column.${column}`)}
        </Text>
      </th>
    );
  const Icon = direction === "ascending" ? IconSortAscending : IconSortDescending;
  return (
    <th scope="col" aria-sort={direction} className="cell">
      <UnstyledButton
        fz="sm"
        fw={600}
        onClick={() =>
          void navigate({
            to: "/$kind",
            params: { kind },
            search: (now) => ({ ...now, sort: next }),
            replace: true,
          })
        }
      >
        {t(`column.${column}`)} {direction === "none" ? null : <Icon size={14} aria-hidden />}
      </UnstyledButton>
    </th>
  );
}

function Status({ enabled }: { enabled: boolean }) {
  const { t } = useTranslation();
  return (
    <td>
      <Badge size="sm" variant="light" miw="max-content" color={enabled ? "green" : "gray"}>
        {t(enabled ? "status.enabled" : "status.disabled")}
      </Badge>
    </td>
  );
}

function Cell({ column, text }: { column: Column; text: string }) {
  const shown = column === "origin" && text === "" ? <InStore /> : text;
  return (
    <td className={column === "paths" ? "cell code" : "cell"} title={text}>
      {shown}
    </td>
  );
}

const InStore = () => useTranslation().t("status.store");
