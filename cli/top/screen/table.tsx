import { Text } from "ink";
import { printable } from "../../../runtime/abi/text/unseen.js";
import { COLUMNS, type Column, type Row } from "../overview-text.js";
import { markedOf, type Shown } from "./keys.js";

interface TableProps {
  rows: readonly Row[];
  shown: Shown;
  seconds: number;
  width: number;
  /** Maximum number of lines for rows. */
  room: number;
}

/** Minimum width of a name, without the mark; columns on the right are dropped first. */
const MIN_NAME = 16;
const MARK = 2;
/** Space in front of "req/s", except one character. */
const FIRST_SPACE = 3;

/** Rows, scrolled so that the marked one is visible. */
export function RowTable({ rows, shown, seconds, width, room }: TableProps) {
  const columns = fitting(width - MARK - MIN_NAME);
  const nameWidth = width - MARK - columns.reduce((sum, column) => sum + column.width, 0);
  // The title may use the space in front of the first column's title.
  const title = printable(titleOf(shown), nameWidth + FIRST_SPACE);
  const names = rows.map(({ id }) => id);
  const marked = names.indexOf(markedOf(shown, names) ?? "");
  const first = Math.max(0, Math.min(marked - Math.floor(room / 2), rows.length - room));
  return (
    <>
      <Text bold wrap="truncate">
        {`  ${title.padEnd(nameWidth)}`}
        {columns.map((column, at) => (
          <Text key={column.title} underline={column.order === shown.order}>
            {column.title.padStart(column.width - (at === 0 ? Math.max(0, title.length - nameWidth) : 0))}
          </Text>
        ))}
      </Text>
      {rows.length === 0 ? (
        <Text dimColor wrap="truncate">
          {emptyOf(shown)}
        </Text>
      ) : null}
      {rows.slice(first, first + room).map((row, at) => (
        <Text key={row.id} wrap="truncate" inverse={first + at === marked}>
          {`${first + at === marked ? "> " : "  "}${printable(row.id, nameWidth - 1).padEnd(nameWidth)}`}
          {columns.map((column) => (
            <Cell key={column.title} {...{ column, row, seconds }} />
          ))}
        </Text>
      ))}
    </>
  );
}

function Cell({ column, row, seconds }: { column: Column; row: Row; seconds: number }) {
  const text = column.text(row, seconds).padStart(column.width);
  return column.isBad?.(row) === true ? <Text color="red">{text}</Text> : <Text>{text}</Text>;
}

const titleOf = ({ view, filter, seconds }: Shown): string =>
  `${view}, last ${seconds} s${filter === "" ? "" : `, with "${printable(filter, 30)}"`}`;

const emptyOf = ({ view, filter, seconds }: Shown): string =>
  filter === ""
    ? `  no requests in the last ${seconds} s`
    : `  none of the busiest ${view} has "${printable(filter, 30)}" in its name; Esc clears the filter`;

export function fitting(width: number): Column[] {
  const columns = [...COLUMNS];
  const taken = () => columns.reduce((sum, column) => sum + column.width, 0);
  while (columns.length > 1 && taken() > width) columns.pop();
  return columns;
}
