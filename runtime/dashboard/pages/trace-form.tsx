import { Alert, Button, Fieldset, Group, NumberInput, Stack, TextInput } from "@mantine/core";
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
const MOST_REQUESTS = 100;
const MOST_SECONDS = 600;

/** Which requests are wanted. @param why nothing can be armed here */
export function TraceForm({ why, onArmed }: { why: string | undefined; onArmed: (id: string) => void }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [texts, setTexts] = useState<Partial<Record<TextField, string>>>({});
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
    mutate({ count: Number(count), for_seconds: Number(seconds), match: matchOf(texts) });
  }
  return (
    <form onSubmit={arm}>
      <Fieldset variant="unstyled" disabled={why !== undefined} title={why} aria-label={t("trace.wanted")}>
        <Stack gap="sm">
          <Group gap="sm" align="flex-end">
            {TEXTS.map((name) => (
              <TextInput
                key={name}
                {...(name === "uri" ? { flex: 2, miw: 180 } : { flex: 1, miw: 130 })}
                label={t(`trace.${name}`)}
                placeholder={HINTS[name]}
                value={texts[name] ?? ""}
                classNames={{ input: "code" }}
                onChange={({ currentTarget: { value } }) => setTexts({ ...texts, [name]: value })}
              />
            ))}
          </Group>
          <Group gap="sm" align="flex-end">
            <Amount label={t("trace.count")} most={MOST_REQUESTS} value={count} onChange={setCount} />
            <Amount
              label={t("trace.for_seconds")}
              most={MOST_SECONDS}
              value={seconds}
              onChange={setSeconds}
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

function matchOf({ header = "", ...texts }: Partial<Record<TextField, string>>): TraceMatch {
  const said = Object.entries(texts).filter(([, text]) => text.trim() !== "");
  const match: TraceMatch = Object.fromEntries(said.map(([name, text]) => [name, text.trim()]));
  if (header.trim() === "") return match;
  const colon = header.indexOf(":");
  const [name, value] = colon < 0 ? [header, ""] : [header.slice(0, colon), header.slice(colon + 1)];
  return { ...match, header: { [name.trim()]: value.trim() } };
}
