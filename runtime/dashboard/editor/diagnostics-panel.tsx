import { Alert, Button, Group, Loader, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Finding, Fix } from "../api/client";
import { type FieldSteps, nameOfField } from "../forms/unreadable-fields";
import { Dimmed, numbered } from "../pages/elements";
import type { Checked } from "./draft-queries";
import { useFixLabel } from "./fixes";
import { fieldOf, isBelow, isOurs } from "./located-diagnostics";

const COLOURS = { error: "red", warning: "yellow", note: "blue" };

type OnFix = (fix: Fix) => void;

export interface DiagnosticsPanelProps extends Checked {
  /** Absent if fixes cannot be applied here. */
  onFix?: OnFix | undefined;
  /** Moves to a field; absent if that is impossible. */
  onGo?: ((path: FieldSteps) => void) | undefined;
  /** Path that the names of fields are relative to. Default: the whole text. */
  below?: FieldSteps | undefined;
}

export function DiagnosticsPanel(props: DiagnosticsPanelProps) {
  const { findings, refusal, text, current, onFix, onGo, below } = props;
  const { t } = useTranslation();
  if (findings.length === 0 && refusal === undefined)
    return current ? (
      <Dimmed>{t("findings.fine")}</Dimmed>
    ) : (
      <Loader size="xs" role="img" aria-label={t("findings.checking")} />
    );
  return (
    <Stack gap="sm" aria-live="polite">
      {refusal === undefined ? null : <Alert color="red">{refusal}</Alert>}
      {numbered(findings).map(({ key, item }) => (
        <DiagnosticAlert key={key} finding={item} {...{ onFix, onGo, text, below }} />
      ))}
    </Stack>
  );
}

interface DiagnosticAlertProps extends Pick<DiagnosticsPanelProps, "onFix" | "onGo" | "below"> {
  finding: Finding;
  text?: string | undefined;
}

export function DiagnosticAlert({ finding, text, onFix, onGo, below = [] }: DiagnosticAlertProps) {
  const { t } = useTranslation();
  const labelOf = useFixLabel();
  const { code, severity, message, help, fix, notes = [] } = finding;
  const path = fieldOf(finding, text);
  const place = usePlace(finding, text, below);
  return (
    <Alert color={COLOURS[severity]} title={[code, place].filter(Boolean).join(" · ")}>
      <Text size="sm">{message}</Text>
      {notes.map((note) => (
        <NoteLine key={note.message} {...{ note, text, below }} />
      ))}
      {help === undefined ? null : (
        <Text size="sm" mt={4}>
          {t("findings.help")}: {help}
        </Text>
      )}
      <Group gap="sm">
        {fix === undefined || onFix === undefined ? null : (
          <Button size="compact-sm" variant="default" mt="xs" onClick={() => onFix(fix)}>
            {labelOf(fix)}
          </Button>
        )}
        {path === undefined || path.length === 0 || onGo === undefined ? null : (
          <Button size="compact-sm" variant="default" mt="xs" onClick={() => onGo(path)}>
            {t("findings.go")}
          </Button>
        )}
      </Group>
    </Alert>
  );
}

function NoteLine({
  note,
  text,
  below,
}: {
  note: Pick<Finding, "message" | "span">;
  text?: string | undefined;
  below: FieldSteps;
}) {
  const place = usePlace(note, text, below);
  return (
    <Text size="sm">
      {note.message}
      {place === undefined ? null : ` (${place})`}
    </Text>
  );
}

/** Location of a diagnostic: the field if known, else the line, else the file. */
function usePlace(
  { span }: Pick<Finding, "span">,
  text: string | undefined,
  below: FieldSteps,
): string | undefined {
  const { t } = useTranslation();
  const path = fieldOf({ span } as Pick<Finding, "span">, text);
  if (span === undefined) return undefined;
  if (path !== undefined && path.length > 0) {
    const shown = isBelow(path, below) ? path.slice(below.length) : path;
    if (shown.length > 0) return nameOfField(shown);
  }
  if (isOurs(span)) return t("findings.line", { line: span.start.line });
  return `${span.file}:${span.start.line}:${span.start.column}`;
}
