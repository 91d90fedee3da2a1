import { Text } from "ink";
import { printable } from "../../../runtime/abi/text/unseen.js";
import { COLUMNS, type Figures, type Row, sparkline } from "../rows.js";
import type { Node, TopSource, View } from "../source.js";
import { useNodes } from "./polled.js";

interface DetailsProps {
  source: TopSource;
  row: Row;
  view: View;
  seconds: number;
  width: number;
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
/** Of a node that requests go to as ever, or would. */
const CALM: ReadonlySet<string> = new Set(["healthy", "untried"]);

/** One route or upstream: its figures now and in the stretch before, their course, and the nodes behind it. */
export function Details({ source, row, view, seconds, width }: DetailsProps) {
  const nodes = useNodes(source, view, row.id);
  return (
    <>
      <Text bold wrap="truncate">
        {printable(`${view}/${row.id}`)}
      </Text>
      <Text bold wrap="truncate">
        {" ".repeat(LABEL) + COLUMNS.map(({ title, width: wide }) => title.padStart(wide)).join("")}
      </Text>
      <Text wrap="truncate">{figuresLine("now", row, seconds)}</Text>
      {row.before === null ? null : (
        <Text wrap="truncate" dimColor>
          {figuresLine("before", row.before, seconds)}
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
      <Nodes nodes={nodes} />
    </>
  );
}

const figuresLine = (title: string, figures: Figures, seconds: number): string =>
  title.padEnd(LABEL) + COLUMNS.map((one) => one.text(figures, seconds).padStart(one.width)).join("");

function Nodes({ nodes }: { nodes: Node[] | undefined }) {
  if (nodes === undefined) return <Text dimColor>asking for its nodes…</Text>;
  if (nodes.length === 0) return <Text dimColor>no nodes of its own: see the upstream that it names</Text>;
  return (
    <>
      <Text bold wrap="truncate">
        {`${"node".padEnd(32)}${"weight".padStart(8)}${"in flight".padStart(11)}  state`}
      </Text>
      {nodes.map((node) => (
        <Text
          key={`${node.host}:${node.port}`}
          wrap="truncate"
          {...(CALM.has(node.state) ? {} : { color: "yellow" })}
        >
          {nodeLine(node)}
        </Text>
      ))}
    </>
  );
}

function nodeLine({ host, port, weight, in_flight: inFlight, state, failures }: Node): string {
  const failed = failures.connect + failures.timeout + failures.status;
  const name = printable(`${host}:${port}`, 31).padEnd(32);
  return `${name}${String(weight).padStart(8)}${String(inFlight).padStart(11)}  ${printable(state, 30)}${failed === 0 ? "" : `, ${failed} failures`}`;
}
