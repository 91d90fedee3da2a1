import { Alert, Button, Card, Group, Loader, Stack, Text, Title } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Effect, TrafficChange } from "../api/answers.gen";
import { AdminError } from "../api/client";
import { AnchorLink } from "../app/links";
import { Dimmed, numbered } from "../pages/elements";
import { type Example, type Outcome, readEffect, type SentDraft, useRestedDraft } from "./draft-queries";

export function TrafficPanel({ sent }: { sent: SentDraft }) {
  const { t } = useTranslation();
  const { data, error, current } = useRestedDraft(["effect"], sent, readEffect);
  if (error) return <Unasked error={error} />;
  if (!data) return <Loader size="xs" role="img" aria-label={t("traffic.comparing")} />;
  return (
    <Stack gap="sm" aria-live="polite" aria-busy={!current}>
      {current ? null : <Loader size="xs" role="img" aria-label={t("traffic.comparing")} />}
      <Told effect={data} />
    </Stack>
  );
}

/** Reason why a draft has no result. */
export function Unasked({ error }: { error: Error }) {
  const { t } = useTranslation();
  return error instanceof AdminError && error.status === 400 ? (
    <Dimmed>{t("traffic.refused")}</Dimmed>
  ) : (
    <Alert color="red">{error.message}</Alert>
  );
}

function Told({ effect }: { effect: Effect }) {
  const { t } = useTranslation();
  const { routes, severity, changes, notes, fault } = effect;
  const gone = new Set(changes.filter(({ kind }) => kind === "new").map(({ subject }) => subject));
  return (
    <>
      {fault === null ? null : <Alert color="yellow">{fault}</Alert>}
      {severity === null ? null : <Text size="sm">{t(`traffic.severity_${severity}`)}</Text>}
      {routes.all ? <Text size="sm">{t("traffic.all")}</Text> : null}
      {routes.total > 0 ? <Routes routes={routes} unlinked={gone} /> : null}
      {routes.left > 0 ? <Dimmed>{t("traffic.left", { count: routes.left })}</Dimmed> : null}
      {numbered(changes).map(({ key, item }) => (
        <Change key={key} change={item} />
      ))}
      {notes.map((note) => (
        <Dimmed key={note}>{note}</Dimmed>
      ))}
    </>
  );
}

/** Number of routes listed at first. */
const FIRST = 10;

function Routes({ routes, unlinked }: { routes: Effect["routes"]; unlinked: ReadonlySet<string> }) {
  const { t } = useTranslation();
  const [whole, setWhole] = useState(false);
  const shown = whole ? routes.list : routes.list.slice(0, FIRST);
  const more = routes.total - shown.length;
  return (
    <Stack gap={4} component="section" aria-label={t("traffic.affected")}>
      <Text size="sm" fw={600}>
        {t("traffic.routes", { count: routes.total })}
      </Text>
      <Group gap="xs">
        {shown.map(({ id, name }) => (
          <Text size="sm" key={id} title={name ?? undefined}>
            {unlinked.has(id) ? (
              id
            ) : (
              <AnchorLink inherit to="/$kind/$id" params={{ kind: "routes", id }}>
                {id}
              </AnchorLink>
            )}
          </Text>
        ))}
        {more > 0 ? <Dimmed>{t("traffic.more", { count: more })}</Dimmed> : null}
        {shown.length < routes.list.length ? (
          <Button size="compact-xs" variant="default" onClick={() => setWhole(true)}>
            {t("traffic.show")}
          </Button>
        ) : null}
      </Group>
    </Stack>
  );
}

function Change({ change }: { change: TrafficChange }) {
  const { t } = useTranslation();
  const { kind, subject, to, removed, added, example, others, note } = change;
  const lines = [...removed.map((text) => ["-", text]), ...added.map((text) => ["+", text])];
  return (
    <Card withBorder padding="sm" component="article">
      <Stack gap="xs">
        <Title order={3} fz="sm">
          {t(`traffic.kind_${kind}${to !== null && kind === "shared" ? "_renamed" : ""}`, { subject, to })}
        </Title>
        {lines.length === 0 ? null : (
          <pre className="changes wrapped code">
            {numbered(lines).map(({ key, item: [mark, text] }) => (
              <div key={key} className={mark === "+" ? "added" : "removed"}>
                {mark} {text}
              </div>
            ))}
          </pre>
        )}
        {others.length === 0 ? null : (
          <Dimmed>{t("traffic.others", { count: others.length, names: named(others) })}</Dimmed>
        )}
        {example === null ? null : <Shown example={example} />}
        {note === null ? null : <Dimmed>{note}</Dimmed>}
      </Stack>
    </Card>
  );
}

const named = (ids: readonly string[]): string =>
  ids.length > FIRST ? `${ids.slice(0, FIRST).join(", ")}, …` : ids.join(", ");

/** Maximum number of differences shown for one example. */
const TOLD = 6;

function Shown({ example }: { example: Example }) {
  const { t } = useTranslation();
  const { request, headers, before, after, differs } = example;
  const outcome = ({ route, upstream, status }: Outcome) =>
    [String(status), route ?? t("traffic.no_route"), upstream].filter((part) => part !== null).join(", ");
  const told = differs.filter(({ name }) => name !== "response status" && name !== "upstream").slice(0, TOLD);
  return (
    <Stack gap={2}>
      <Text size="sm">{t("traffic.example")}</Text>
      <pre className="changes wrapped code">
        <div>{request}</div>
        {headers.map((line) => (
          <div key={line}>{line}</div>
        ))}
        <div className="removed">- {outcome(before)}</div>
        <div className="added">+ {outcome(after)}</div>
        {told.map(({ name, before: old, after: fresh }) => (
          <div key={name}>
            {name}: {old ?? t("traffic.absent")} → {fresh ?? t("traffic.absent")}
          </div>
        ))}
      </pre>
    </Stack>
  );
}
