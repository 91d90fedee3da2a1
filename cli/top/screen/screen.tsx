import { Box, render, Text, useApp, useInput, useStdout } from "ink";
import { useEffect, useRef, useState } from "react";
import { printable } from "../../../runtime/abi/text/unseen.js";
import type { TopStart } from "../index.js";
import { attentionOf, rowsOf, sparkline, stateOf, totalOf } from "../overview-text.js";
import type { OverviewAnswer, TopSource } from "../source.js";
import { Details } from "./details.js";
import { after, begin, KEY_HELP, keysOf, type Shown } from "./keys.js";
import { useAnswers } from "./polled.js";
import { RowTable } from "./table.js";

/** Signals that would end the process at once and leave the terminal as it is; ^C and ^\ arrive as keys. */
const SIGNALS = ["SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT"] as const;

export async function show(start: TopStart): Promise<string | undefined> {
  let why: string | undefined;
  const end = (reason: string) => {
    why = reason;
  };
  // Switches to the alternate screen; the terminal restores its old content afterwards.
  process.stdout.write("\x1b[?1049h");
  const leave = () => process.stdout.write("\x1b[?1049l\x1b[?25h");
  process.once("exit", leave);
  const shown = render(<Screen start={start} onEnd={end} />, { patchConsole: false });
  for (const signal of SIGNALS) process.on(signal, shown.unmount);
  try {
    await shown.waitUntilExit();
  } finally {
    for (const signal of SIGNALS) process.removeListener(signal, shown.unmount);
    process.removeListener("exit", leave);
    leave();
  }
  return why;
}

/** Lines of the terminal without rows and attention: five of the screen, one for a fault, and one that stays free. */
const FIXED_LINES = 7;
const MAX_ATTENTION = 5;
/** Minimum number of lines for rows; attention gets the lines beyond it. */
const MIN_ROWS = 3;

function Screen({ start, onEnd }: { start: TopStart; onEnd: (reason: string) => void }) {
  const { exit } = useApp();
  const { columns, lines } = useSize();
  const [shown, setShown] = useState<Shown>(() => begin(start));
  const { answer, fault, at } = useAnswers(start.source, shown, start.every);
  // The current state: a key may arrive before React has replaced the handler of the previous key. The
  // handler of the previous painting would not know the rows either.
  const latest = useRef(shown);
  const painted = useRef(answer);
  painted.current = answer;
  const rowsIn = ({ view, order, filter }: Shown) =>
    painted.current === undefined ? [] : rowsOf(painted.current, view, order, filter);
  const rows = rowsIn(shown);

  useInput((input, key) => {
    const next = keysOf(input, key).reduce<Shown | undefined>(
      (to, [one, named]) => to && after(to, one, named, () => rowsIn(to).map(({ id }) => id)),
      latest.current,
    );
    if (next === undefined) {
      exit();
      return;
    }
    latest.current = next;
    setShown(next);
  });
  useEffect(() => {
    if (fault?.isFinal !== true) return;
    onEnd(fault.message);
    exit();
  }, [fault, exit, onEnd]);

  const attention = answer === undefined ? [] : attentionOf(answer).slice(0, attentionRoom(lines));
  const room = Math.max(1, lines - FIXED_LINES - attention.length);
  const open = shown.isOpen ? rows.find(({ id }) => id === shown.at) : undefined;
  return (
    <Box flexDirection="column" width={columns} height={Math.max(1, lines - 1)} overflow="hidden">
      <Header {...{ source: start.source, answer, shown, at }} />
      {fault === undefined ? null : (
        <Text wrap="truncate" color="red">
          {`! ${printable(fault.message)}; retrying`}
        </Text>
      )}
      {answer === undefined ? (
        <Text dimColor>{fault === undefined ? "loading…" : ""}</Text>
      ) : (
        <>
          <Totals answer={answer} width={columns} />
          {attention.map(({ isError, text }) => (
            <Text key={text} wrap="truncate" color={isError ? "red" : "yellow"}>
              {`! ${text}`}
            </Text>
          ))}
          <Text> </Text>
          {shown.isHelp ? (
            <Help width={columns} />
          ) : open === undefined ? (
            <RowTable {...{ rows, shown, seconds: answer.counted_seconds, width: columns, room }} />
          ) : (
            <Details
              {...{ row: open, view: shown.view, seconds: answer.counted_seconds, width: columns, room }}
              source={start.source}
            />
          )}
        </>
      )}
      <Box flexGrow={1} />
      <Footer shown={shown} />
    </Box>
  );
}

interface HeaderProps {
  source: TopSource;
  answer: OverviewAnswer | undefined;
  shown: Shown;
  /** Time of the response: "14:03:22". */
  at: string;
}

/** The first line. The state comes last, because it is long and repeated below: a full line is cut there. */
function Header({ source, answer, shown, at }: HeaderProps) {
  const state = answer === undefined ? "" : `  ${stateOf(answer)}`;
  const isReady = answer?.now.ready !== false;
  return (
    <Text wrap="truncate">
      <Text bold>{`gwc top  ${source.address}`}</Text>
      <Text dimColor>{`  ${at}`}</Text>
      {shown.isPaused ? <Text color="yellow">{"  paused"}</Text> : null}
      <Text {...(isReady ? {} : { color: "red" })}>{state}</Text>
    </Text>
  );
}

function Totals({ answer, width }: { answer: OverviewAnswer; width: number }) {
  const text = totalOf(answer);
  const left = width - text.length - 3;
  return (
    <Text wrap="truncate">
      {text}
      <Text color="cyan">
        {left < 10 ? "" : `  ${sparkline(answer.total.series.requests, Math.min(left, 60))}`}
      </Text>
    </Text>
  );
}

const attentionRoom = (lines: number): number =>
  Math.max(0, Math.min(MAX_ATTENTION, lines - FIXED_LINES - MIN_ROWS));

function Help({ width }: { width: number }) {
  const wide = width < 50 ? 12 : 14;
  return (
    <>
      {KEY_HELP.map(([keys, what]) => (
        <Text key={keys} wrap="truncate">
          {keys.padEnd(wide)}
          {what}
        </Text>
      ))}
    </>
  );
}

/** Ordered by importance, because a narrow terminal cuts the end. */
const KEYS =
  "q quit  ? keys  Enter details  / filter  Tab view  w window  Space pause  sort: r requests  e errors  p p99  b bytes  n name";

function Footer({ shown }: { shown: Shown }) {
  if (shown.isTyping)
    return (
      <Text wrap="truncate">{`/${printable(shown.filter)}▏  Enter keeps the filter, Esc discards it`}</Text>
    );
  return (
    <Text wrap="truncate" dimColor>
      {shown.isHelp
        ? "any key: go back  q quit"
        : shown.isOpen
          ? "q quit  ? keys  Esc back  w window  Space pause"
          : KEYS}
    </Text>
  );
}

function useSize(): { columns: number; lines: number } {
  const { stdout } = useStdout();
  const read = () => ({ columns: stdout.columns || 80, lines: stdout.rows || 24 });
  const [size, setSize] = useState(read);
  useEffect(() => {
    const changed = () => setSize({ columns: stdout.columns || 80, lines: stdout.rows || 24 });
    stdout.on("resize", changed);
    return () => {
      stdout.off("resize", changed);
    };
  }, [stdout]);
  return size;
}
