import { Alert, NumberInput, SegmentedControl, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useSession } from "../api/session";
import { Lines } from "./request-line";
import type { Stub } from "./use-which-route";

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
        {isViewer ? (
          <Text size="sm" c="dimmed">
            {t("ask.live_viewer")}
          </Text>
        ) : null}
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
