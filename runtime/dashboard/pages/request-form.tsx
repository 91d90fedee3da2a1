import {
  Alert,
  Autocomplete,
  Button,
  Group,
  List,
  NumberInput,
  SegmentedControl,
  Stack,
  Text,
  Textarea,
  TextInput,
} from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useSession } from "../api/session";
import type { CurlNotes } from "../curl/command";
import { Dimmed } from "./elements";
import type { Stub, useWhichRoute } from "./use-which-route";

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

interface RequestLineProps
  extends Pick<
    ReturnType<typeof useWhichRoute>,
    "method" | "url" | "client" | "command" | "answering" | "say" | "typed" | "pasted"
  > {
  isPending: boolean;
}

export function RequestLine(props: RequestLineProps) {
  const { method, url, client, command, answering, say, typed, pasted, isPending } = props;
  const { t } = useTranslation();
  return (
    <Group gap="sm" align="flex-end">
      <Autocomplete
        w={120}
        label={t("ask.method")}
        data={METHODS}
        // Always lists all methods, because the input usually already contains one.
        filter={({ options }) => options}
        value={method}
        classNames={{ input: "code" }}
        onChange={(next) => say({ method: next.trim() })}
      />
      <TextInput
        flex={1}
        miw={220}
        label={t("ask.url")}
        placeholder={t("ask.url_hint")}
        value={command ?? url}
        error={command === undefined ? undefined : t("ask.no_address")}
        onPaste={(event) => pasted(event)}
        classNames={{ input: "code" }}
        onChange={(event) => typed(event.currentTarget.value)}
      />
      <TextInput
        w={170}
        label={t("ask.client")}
        placeholder="127.0.0.1"
        value={client ?? ""}
        classNames={{ input: "code" }}
        onChange={({ currentTarget: { value } }) =>
          say({ client: value.trim() === "" ? undefined : value.trim() })
        }
      />
      <Button type="submit" loading={isPending} disabled={url === ""}>
        {t(answering === "live" ? "ask.send" : "ask.do")}
      </Button>
    </Group>
  );
}

interface LinesProps {
  label: string;
  hint?: string;
  rows: number;
  value: string;
  onChange(text: string): void;
}

export function Lines({ label, hint, rows, value, onChange }: LinesProps) {
  return (
    <Textarea
      label={label}
      placeholder={hint}
      autosize
      minRows={rows}
      maxRows={8}
      value={value}
      classNames={{ input: "code" }}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** Parts of a pasted command that the form has no fields for. */
export function CommandNotes({ notes }: { notes: CurlNotes | undefined }) {
  const { t } = useTranslation();
  if (notes === undefined) return null;
  const { untried, unknown, open, isFirst } = notes;
  const lines = [
    ...(untried.length === 0 ? [] : [t("ask.untried", { list: untried.join(", ") })]),
    ...(unknown.length === 0 ? [] : [t("ask.unknown", { list: unknown.join(", ") })]),
    ...(open.length === 0 ? [] : [t("ask.open", { list: open.join(", ") })]),
    ...(isFirst ? [t("ask.first")] : []),
  ];
  if (lines.length === 0) return null;
  return (
    <Alert color="yellow" role="status" title={t("ask.notes")}>
      <List size="sm" className="wrapped">
        {lines.map((line) => (
          <List.Item key={line}>{line}</List.Item>
        ))}
      </List>
    </Alert>
  );
}

export type Answering = "stub" | "live";

interface AnswerOfProps {
  answering: Answering;
  stub: Stub;
  onAnswering(answering: Answering): void;
  onStub(stub: Stub): void;
}

export function AnswerOf({ answering, stub, onAnswering, onStub }: AnswerOfProps) {
  const { t } = useTranslation();
  const isViewer = useSession()?.role === "viewer";
  return (
    <Stack gap="xs" align="stretch">
      <Stack gap={4} align="flex-start">
        <Text size="sm" fw={500} id="answer-of-upstream">
          {t("ask.answer")}
        </Text>
        <SegmentedControl
          maw="100%"
          styles={{ label: { whiteSpace: "normal" } }}
          aria-labelledby="answer-of-upstream"
          value={answering}
          onChange={(next) => onAnswering(next === "live" ? next : "stub")}
          data={[
            { value: "stub", label: t("ask.answer_stub") },
            { value: "live", label: t("ask.answer_live"), disabled: isViewer },
          ]}
        />
        {isViewer ? <Dimmed>{t("ask.live_viewer")}</Dimmed> : null}
      </Stack>
      {answering === "live" ? (
        <Alert color="yellow">{t("ask.live_warning")}</Alert>
      ) : (
        <StubFields stub={stub} onChange={onStub} />
      )}
    </Stack>
  );
}

function StubFields({ stub, onChange }: { stub: Stub; onChange(stub: Stub): void }) {
  const { t } = useTranslation();
  return (
    <details className="fold">
      <summary>{t("ask.stub")}</summary>
      <Stack gap="sm" pt="sm">
        <NumberInput
          w={120}
          label={t("ask.stub_status")}
          min={200}
          max={599}
          allowDecimal={false}
          value={stub.status}
          onChange={(next) => onChange({ ...stub, status: Number(next) })}
        />
        <Lines
          label={t("ask.stub_headers")}
          hint="Content-Type: application/json"
          rows={1}
          value={stub.headers}
          onChange={(headers) => onChange({ ...stub, headers })}
        />
        <Lines
          label={t("ask.stub_body")}
          rows={2}
          value={stub.body}
          onChange={(text) => onChange({ ...stub, body: text })}
        />
      </Stack>
    </details>
  );
}
