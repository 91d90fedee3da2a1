import { Text } from "ink";
import { printable } from "../../../runtime/abi/text/unseen.js";
import { type Column, type Figures, type Row, sparkline } from "../overview-text.js";
import type { Node, TopSource, View } from "../source.js";
import { useNodes } from "./polled.js";
import { fitting } from "./table.js";

interface DetailsProps {
  source: TopSource;
  row: Row;
  view: View;
  seconds: number;
  width: number;
  /** Maximum number of lines. */
  room: number;
}

const LABEL = 12;
const LINES = [
  ["requests", "requests"],
  ["4xx", "errors_4xx"],
  ["5xx", "errors_5xx"],
  ["p50", "p50"],
  ["p99", "p99"],
  ["bytes out", "bytes_out"],
] as const;
/** Number of lines without those of nodes. */
const OWN_LINES = LINES.length + 7;

/** States of a node that receives ordinary traffic. */
const CALM: ReadonlySet<string> = new Set(["healthy", "untried"]);

export function Details({ source, row, view, seconds, width, room }: DetailsProps) {
  const nodes = useNodes(source, view, row.id);
  const columns = fitting(width - LABEL);
  return (
    <>
      <Text bold wrap="truncate">
        {printable(`${view}/${row.id}`)}
      </Text>
      <Text bold wrap="truncate">
        {" ".repeat(LABEL) + columns.map(({ title, width: wide }) => title.padStart(wide)).join("")}
      </Text>
      <Text wrap="truncate">{figuresLine("now", row, seconds, columns)}</Text>
      {row.before === null ? null : (
        <Text wrap="truncate" dimColor>
          {figuresLine("before", row.before, seconds, columns)}
        </Text>
      )}
      <Text> </Text>
      {LINES.map(([title, name]) => (
        <Text key={name} wrap="truncate">
          {title.padEnd(LABEL)}
          <Text color={name === "errors_5xx" ? "red" : "cyan"}>
            {sparkline(row.series[name], Math.max(10, width - LABEL - 2))}
          </Text>
        </Text>
      ))}
      <Text> </Text>
      <Nodes nodes={nodes} width={width} room={Math.max(1, room - OWN_LINES)} />
    </>
  );
}

const figuresLine = (title: string, figures: Figures, seconds: number, columns: readonly Column[]): string =>
  title.padEnd(LABEL) + columns.map((one) => one.text(figures, seconds).padStart(one.width)).join("");

interface NodesProps {
  nodes: Node[] | undefined;
  width: number;
  /** Maximum number of lines for nodes. */
  room: number;
}

function Nodes({ nodes, width, room }: NodesProps) {
  if (nodes === undefined) return <Text dimColor>loading nodes…</Text>;
  if (nodes.length === 0)
    return (
      <Text dimColor wrap="truncate">
        no nodes of its own: see the upstream that it names
      </Text>
    );
  const name = Math.max(16, Math.min(32, width - 40));
  const shown = nodes.length <= room ? nodes : byCare(nodes).slice(0, Math.max(1, room - 1));
  return (
    <>
      <Text bold wrap="truncate">
        {`${"node".padEnd(name)}${"weight".padStart(8)}${"in flight".padStart(11)}  state`}
      </Text>
      {shown.map((node) => (
        <Text
          key={`${node.host}:${node.port}`}
          wrap="truncate"
          {...(CALM.has(node.state) ? {} : { color: "yellow" })}
        >
          {nodeLine(node, name)}
        </Text>
      ))}
      {shown.length === nodes.length ? null : (
        <Text dimColor>{`and ${nodes.length - shown.length} more`}</Text>
      )}
    </>
  );
}

/** Sorts nodes that need attention first, because a short terminal cuts the list. */
const byCare = (nodes: readonly Node[]): Node[] =>
  [...nodes].sort((a, b) => Number(CALM.has(a.state)) - Number(CALM.has(b.state)));

function nodeLine(node: Node, width: number): string {
  const { host, port, weight, in_flight: inFlight, state, failures } = node;
  const failed = failures.connect + failures.timeout + failures.status;
  const name = printable(`${host}:${port}`, width - 1).padEnd(width);
  return `${name}${String(weight).padStart(8)}${String(inFlight).padStart(11)}  ${printable(state, 30)}${failed === 0 ? "" : `, ${failed} failures`}`;
}
