import { Box, Text } from "@mantine/core";
import { type ChangeObject, diffLines } from "diff";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { Value } from "../api/resources";
import { Dimmed, numbered } from "../pages/elements";
import { editable, textOf } from "./draft";

/** Maximum time in ms of a comparison, which blocks the page: two texts of 4,000 different lines took 6 s. */
const LONGEST_MS = 150;
/** Maximum number of lines shown: each is an element of the page. */
const MAX_LINES = 3_000;

interface Compared {
  parts: readonly Pick<ChangeObject<string>, "value" | "added" | "removed">[];
  /** The comparison timed out: the old text precedes the new one. */
  whole: boolean;
}

function compared(before: string, after: string): Compared {
  const parts = diffLines(before, after, { timeout: LONGEST_MS });
  if (parts !== undefined) return { parts, whole: false };
  const whole = [
    { value: before, added: false, removed: true },
    { value: after, added: true, removed: false },
  ];
  return { parts: whole, whole: true };
}

/** Two texts line by line: removed lines have a minus, added ones a plus. */
export function ChangesPanel({ before, after }: { before: string; after: string }) {
  const { t } = useTranslation();
  const { parts, whole } = useMemo(() => compared(before, after), [before, after]);
  if (!parts.some(({ added, removed }) => added || removed)) return <Dimmed>{t("changes.none")}</Dimmed>;
  const lines = parts.flatMap(({ value, added, removed }) =>
    value
      .replace(/\n$/, "")
      .split("\n")
      .map((text) => ({ text, mark: added ? "+" : removed ? "-" : " " })),
  );
  const left = lines.length - MAX_LINES;
  return (
    <>
      {whole ? <Text size="sm">{t("changes.many")}</Text> : null}
      {/* A scrollable element must be reachable by the keyboard. */}
      <Box component="pre" className="changes code" tabIndex={0} role="group" aria-label={t("changes.title")}>
        {numbered(lines.slice(0, MAX_LINES)).map(({ key, item: { text, mark } }) => (
          <div key={key} className={mark === "+" ? "added" : mark === "-" ? "removed" : undefined}>
            {mark} {text}
          </div>
        ))}
      </Box>
      {left > 0 ? <Text size="sm">{t("changes.more", { count: left })}</Text> : null}
    </>
  );
}

/** Orders fields as in the previous version, with new ones last: moved fields are no change. */
function inOrderOf(before: Value | null, after: Value | null): Value | null {
  if (before === null || after === null) return after;
  const kept = Object.keys(before).filter((name) => name in after);
  return { ...Object.fromEntries(kept.map((name) => [name, after[name]])), ...after };
}

const yaml = (version: Value | null) => (version === null ? "" : textOf(editable(version), "yaml"));

/** Two versions of a resource, line by line; null if there is none. */
export function VersionsPanel({ before, after }: { before: Value | null; after: Value | null }) {
  return <ChangesPanel before={yaml(before)} after={yaml(inOrderOf(before, after))} />;
}
