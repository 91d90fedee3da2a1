import { Badge, Text, UnstyledButton } from "@mantine/core";
import { IconSortAscending, IconSortDescending } from "@tabler/icons-react";
import { Link, useNavigate, useRouter } from "@tanstack/react-router";
import { defaultRangeExtractor, useVirtualizer, type Virtualizer } from "@tanstack/react-virtual";
import { type CSSProperties, type KeyboardEvent, type RefObject, useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import type { Kind } from "../api/resources";
import { useRowKeys } from "../app/keys";
import { isObserved, ObservedCell } from "./observed-cell";
import { COLUMNS, type Column, type Row } from "./resource-rows";

const ROW_HEIGHT = 36;
/** Minimum width of a column in px; narrower windows scroll sideways. */
const MIN_COLUMN = 92;

/** Number of rows for Page Up and Page Down. */
const PAGE_ROWS = 10;

/** Index of the row that a key moves to; undefined for any other key. */
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

/** Columns that many resources leave empty; they are hidden if all do. */
const SELDOM: ReadonlySet<Column> = new Set(["methods", "hosts", "name"]);

const columnsOf = (kind: Kind, rows: readonly Row[]) =>
  (Object.entries(COLUMNS[kind]) as [Column, string][]).filter(
    ([column]) => !SELDOM.has(column) || rows.some(({ cells }) => cells[column] !== ""),
  );

interface RowsProps {
  kind: Kind;
  rows: readonly Row[];
  sought: string;
  sort: string | undefined;
}

/** Only visible rows and the focused one are in the document. Arrows, Page Up, Page Down, Home and End move. */
export function Rows({ kind, rows, sought, sort }: RowsProps) {
  const { t } = useTranslation();
  const scroller = useRef<HTMLDivElement>(null);
  const place = usePlaceInList();
  const columns = columnsOf(kind, rows);
  const template = columns
    .map(([, width]) => (width.endsWith("fr") ? `minmax(80px, ${width})` : width))
    .join(" ");
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
    initialOffset: place.before?.offset ?? 0,
    rangeExtractor: (range) => {
      const focused = document.activeElement?.getAttribute("data-row");
      const inSight = defaultRangeExtractor(range);
      const at = focused == null ? Number.NaN : Number(focused);
      return Number.isNaN(at) || at >= rows.length || inSight.includes(at) ? inSight : [...inSight, at];
    },
  });
  const move = useMoves(rows.length - 1, virtual, scroller);
  useFocusOf(rows.findIndex(({ id }) => id === place.before?.row));
  useTopOf(`${sort} ${sought}`, () => virtual.scrollToOffset(0));
  const layout = { gridTemplateColumns: template, minWidth: columns.length * MIN_COLUMN };
  return (
    <div
      className="scroller"
      ref={scroller}
      style={{ maxHeight: "calc(100vh - 190px)" }}
      onScroll={(event) => place.keep({ offset: event.currentTarget.scrollTop })}
    >
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
              onFocus={() => place.keep({ row: rows[index]?.id })}
              onKeyDown={(event) => move(event, index)}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Moves also by j and k. Returns the handler of keys in a row. */
function useMoves(
  last: number,
  virtual: Virtualizer<HTMLDivElement, Element>,
  scroller: RefObject<HTMLDivElement | null>,
): (event: KeyboardEvent, at: number) => void {
  function go(to: number) {
    virtual.scrollToIndex(to);
    requestAnimationFrame(() => scroller.current?.querySelector<HTMLElement>(`[data-row="${to}"]`)?.focus());
  }
  useRowKeys((step) => {
    const focused = Number(document.activeElement?.getAttribute("data-row") ?? Number.NaN);
    // Without a focused row it is the first visible one.
    const first = virtual.range?.startIndex ?? 0;
    go(Number.isNaN(focused) ? first : Math.max(0, Math.min(last, focused + step)));
  });
  return (event, at) => {
    const next = rowAfter(event.key, at, last);
    if (next === undefined) return;
    event.preventDefault();
    go(next);
  };
}

/** Focuses the last opened row once, after a navigation back. */
function useFocusOf(index: number): void {
  const begun = useRef(index);
  useEffect(() => {
    if (begun.current < 0) return;
    const frame = requestAnimationFrame(() => {
      // The rows also come back after a search without matches.
      if (document.activeElement instanceof HTMLInputElement) return;
      document.querySelector<HTMLElement>(`[data-row="${begun.current}"]`)?.focus({ preventScroll: true });
    });
    return () => cancelAnimationFrame(frame);
  }, []);
}

/** Scrolls to the first row after a new search or order. */
function useTopOf(view: string, toTop: () => void): void {
  const before = useRef(view);
  useEffect(() => {
    if (before.current !== view) toTop();
    before.current = view;
  });
}

interface LineProps {
  kind: Kind;
  columns: readonly [Column, string][];
  row: Row | undefined;
  index: number;
  style: CSSProperties;
  onFocus(): void;
  onKeyDown(event: KeyboardEvent): void;
}

function Line({ kind, columns, row, index, style, onFocus, onKeyDown }: LineProps) {
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
              {...{ onFocus, onKeyDown }}
            >
              {row.id}
            </Link>
          </td>
        ) : column === "status" ? (
          <Status key={column} enabled={row.enabled} />
        ) : isObserved(column) ? (
          <ObservedCell key={column} {...{ kind, column }} id={row.id} value={row.resource.value} />
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
      <Badge size="sm" variant="light" color={enabled ? "green" : "gray"}>
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

interface Place {
  offset?: number;
  row?: string | undefined;
}

/** Back returns to an entry, a link to the same list creates one. A reload forgets all. */
const places = new Map<string, Place>();
/** Maximum number of remembered entries; a browser stores as many. */
const MOST = 50;

/** `before`: state when this entry of the browser's history was left; undefined for a new entry. */
function usePlaceInList() {
  const { history } = useRouter();
  const own = useRef(history.location);
  // A scroll may still end while the next page loads; by then the URL belongs to that page.
  const entry = () => {
    if (history.location.pathname === own.current.pathname) own.current = history.location;
    return String(own.current.state.__TSR_key ?? "");
  };
  const before = useRef(places.get(entry()));
  const keep = (place: Place) => {
    const now = { ...places.get(entry()), ...place };
    places.delete(entry());
    places.set(entry(), now);
    const [oldest] = places.keys();
    if (places.size > MOST && oldest !== undefined) places.delete(oldest);
  };
  return { before: before.current, keep };
}
