import { Alert, Button, Checkbox, Fieldset, Group, NumberInput, Stack, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { armTrace, type TraceMatch, type Traces, traceQuery, tracesQuery } from "../api/trace";

const TEXTS = ["uri", "method", "host", "route_id", "client", "header"] as const;
type TextField = (typeof TEXTS)[number];

const HINTS: Readonly<Record<TextField, string>> = {
  uri: "/orders/*",
  method: "POST",
  host: "*.example.com",
  route_id: "orders",
  client: "10.0.0.0/8",
  header: "X-Debug: 1",
};
const MAX_REQUESTS = 100;
const MAX_SECONDS = 600;

interface TraceFormProps {
  /** Reason why no trace can be armed; undefined if one can. */
  why: string | undefined;
  isUnrouted: boolean;
  onArmed: (id: string) => void;
}

export function TraceForm({ why, isUnrouted, onArmed }: TraceFormProps) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [texts, setTexts] = useState<Texts>({});
  const [unrouted, setUnrouted] = useState(isUnrouted);
  const [count, setCount] = useState<number | string>(1);
  const [seconds, setSeconds] = useState<number | string>(60);
  const { mutate, error, isPending } = useMutation({
    mutationFn: armTrace,
    onSuccess(armed: Traces) {
      client.setQueryData(traceQuery(armed.id).queryKey, armed);
      void client.invalidateQueries({ queryKey: tracesQuery.queryKey, exact: true });
      onArmed(armed.id);
    },
  });
  function arm(event: FormEvent) {
    event.preventDefault();
    mutate({ count: Number(count), for_seconds: Number(seconds), match: matchOf(texts, unrouted) });
  }
  return (
    <form onSubmit={arm}>
      <Fieldset variant="unstyled" disabled={why !== undefined} title={why} aria-label={t("trace.wanted")}>
        <Stack gap="sm">
          <Conditions
            texts={texts}
            isUnrouted={unrouted}
            onChange={(next) => setTexts({ ...texts, ...next })}
          />
          <Group gap="sm" align="flex-end">
            <Amount label={t("trace.count")} most={MAX_REQUESTS} value={count} onChange={setCount} />
            <Amount label={t("trace.for_seconds")} most={MAX_SECONDS} value={seconds} onChange={setSeconds} />
            <Checkbox
              label={t("trace.unrouted")}
              pb={8}
              checked={unrouted}
              onChange={({ currentTarget: { checked } }) => setUnrouted(checked)}
            />
            <Button type="submit" loading={isPending} disabled={why !== undefined}>
              {t("trace.arm")}
            </Button>
          </Group>
        </Stack>
      </Fieldset>
      {error ? (
        <Alert color="red" role="alert" mt="sm">
          {error.message}
        </Alert>
      ) : null}
    </form>
  );
}

type Texts = Partial<Record<TextField, string>>;

interface ConditionsProps {
  texts: Texts;
  /** A request without a route has no route id. */
  isUnrouted: boolean;
  onChange(next: Texts): void;
}

function Conditions({ texts, isUnrouted, onChange }: ConditionsProps) {
  const { t } = useTranslation();
  return (
    <Group gap="sm" align="flex-end">
      {TEXTS.map((name) => (
        <TextInput
          key={name}
          {...(name === "uri" ? { flex: 2, miw: 180 } : { flex: 1, miw: 130 })}
          label={t(`trace.${name}`)}
          disabled={name === "route_id" && isUnrouted}
          placeholder={HINTS[name]}
          value={texts[name] ?? ""}
          classNames={{ input: "code" }}
          onChange={({ currentTarget: { value } }) => onChange({ [name]: value })}
        />
      ))}
    </Group>
  );
}

interface AmountProps {
  label: string;
  most: number;
  value: number | string;
  onChange(value: number | string): void;
}

function Amount({ most, ...others }: AmountProps) {
  return (
    <NumberInput {...others} w={120} min={1} max={most} allowDecimal={false} required withAsterisk={false} />
  );
}

function matchOf(
  { header = "", ...texts }: Partial<Record<TextField, string>>,
  unrouted: boolean,
): TraceMatch {
  const said = Object.entries(texts).filter(
    ([name, text]) => text.trim() !== "" && !(unrouted && name === "route_id"),
  );
  const match: TraceMatch = {
    ...Object.fromEntries(said.map(([name, text]) => [name, text.trim()])),
    ...(unrouted && { unrouted }),
  };
  if (header.trim() === "") return match;
  const colon = header.indexOf(":");
  const [name, value] = colon < 0 ? [header, ""] : [header.slice(0, colon), header.slice(colon + 1)];
  return { ...match, header: { [name.trim()]: value.trim() } };
}
