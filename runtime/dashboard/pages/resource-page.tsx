import { Alert, Button, Group, Skeleton, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { AdminError, useAwaySince } from "../api/client";
import { overviewQuery, SHOWN_SECONDS, useLiveOverview } from "../api/overview";
import { canBeNamed } from "../api/references";
import { type Kind, type Resource, resourceQuery, type Value } from "../api/resources";
import { useWriteRefusal } from "../api/session";
import { useModKey } from "../app/keys";
import { resourceRoute } from "../app/router";
import { Conflict } from "../editor/conflict";
import { editable, isWhole, sentText, textOf } from "../editor/draft";
import { useChecked } from "../editor/draft-queries";
import { useLeaveQuestion } from "../editor/leave-question";
import { Rejection } from "../editor/rejection";
import { ResourceEditor } from "../editor/resource-editor";
import { ResourceHeader } from "../editor/resource-header";
import { useSavedResource } from "../editor/saved-resource";
import { useUnsavable } from "../editor/unreadable";
import { UsedBy } from "../editor/used-by";
import { Certificates } from "./certificate";
import { AfterFirstFrame, CopyTextButton, Dimmed, LoadFailed, WIDEST } from "./elements";
import { perSecond, rate, share } from "./formats";
import { Nodes } from "./nodes";
import { NoteField } from "./note-field";
import { TrafficTiles } from "./traffic-tiles";

export function ResourcePage() {
  const { kind, id } = resourceRoute.useParams();
  const { data, error, refetch } = useQuery({ ...resourceQuery(kind, id), refetchOnWindowFocus: false });
  const failed = error ? <LoadFailed error={error} retry={() => void refetch()} /> : undefined;
  if (!data) return failed ?? <Skeleton h={320} aria-busy />;
  // Cached from an earlier visit, and deleted since.
  const gone = error instanceof AdminError && error.status === 404 ? failed : undefined;
  return <Opened key={`${kind} ${id}`} {...{ kind, id, gone }} resource={data.resource} etag={data.etag} />;
}

interface OpenedProps {
  kind: Kind;
  id: string;
  resource: Resource;
  etag: string | null;
  /** Replaces the page of a deleted resource, unless that would lose unsaved text. */
  gone: ReactNode;
}

function Opened({ kind, id, resource, etag, gone }: OpenedProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { tab = "form" } = resourceRoute.useSearch();
  const refusal = useWriteRefusal();
  const saved = useSavedResource(kind, id, { value: editable(resource.value), etag });
  const { base, draft, changed, saving, conflict } = saved;
  const why = resource.static === undefined ? refusal : t("file.adopt");
  const readOnly = why !== undefined;
  const canSave = !readOnly && changed && isWhole(draft);
  const sent = { ...{ kind, id }, text: sentText(draft), over: base.value };
  const checked = useChecked({ ...sent, enabled: !readOnly && draft.problem === undefined });
  const unsavable = useUnsavable(draft);
  const save = () => (canSave ? void saved.save() : undefined);
  useModKey("s", save);
  const leaving = useLeaveQuestion(changed && !saving, canSave ? () => saved.save() : undefined);
  if (gone !== undefined && !changed) return gone;
  return (
    <Stack gap="lg" maw={WIDEST}>
      {leaving}
      <ResourceHeader
        {...{ kind, id, readOnly, canSave, saving, unsavable }}
        value={base.value}
        etag={base.etag}
        fromFile={resource.static}
        onSave={save}
        onChange={saved.change}
      />
      {why === undefined ? null : <OnlyRead why={why} value={base.value} />}
      {readOnly ? null : <NoteField of={changed} />}
      <Rejection failure={saved.failure} />
      {conflict ? (
        <Conflict
          base={base.value}
          mine={draft.value}
          theirs={conflict.value}
          onMerge={(value) => saved.take(conflict, value)}
          onTheirs={() => saved.take(conflict)}
          onMine={() => void saved.save(conflict)}
        />
      ) : null}
      <Observed {...{ kind, id }} value={base.value} />
      <ResourceEditor
        begun
        {...{ kind, draft, checked, sent, readOnly, tab }}
        saved={base.value}
        onTab={(next) =>
          void navigate({ to: "/$kind/$id", params: { kind, id }, search: { tab: next }, replace: true })
        }
        onChange={saved.edit}
      />
      {canBeNamed(kind) ? (
        <AfterFirstFrame>
          <UsedBy {...{ kind, id }} readOnly={refusal !== undefined} />
        </AfterFirstFrame>
      ) : null}
    </Stack>
  );
}

function OnlyRead({ why, value }: { why: string; value: Value }) {
  const { t } = useTranslation();
  return (
    <Alert color="gray" styles={{ message: { color: "inherit" } }}>
      <Group justify="space-between" gap="sm">
        {why}
        <CopyTextButton
          size="compact-sm"
          variant="default"
          value={textOf(value, "yaml")}
          label={t("file.copy")}
        />
      </Group>
    </Alert>
  );
}

/** Observed figures of a resource next to its configuration, for kinds that have any. */
function Observed({ kind, id, value }: { kind: Kind; id: string; value: Value }) {
  if (kind === "ssls") return <Certificates id={id} />;
  if (kind === "upstreams")
    return (
      <>
        <OwnTraffic of={`upstreams/${id}`} />
        <Nodes kind={kind} id={id} />
      </>
    );
  if (kind !== "routes" && kind !== "services") return null;
  // A resource that is disabled, or names an upstream, has no running nodes of its own.
  const isServed = value["status"] !== 0;
  const isOwn = value["upstream"] !== undefined && value["upstream_id"] === undefined && isServed;
  const of = kind === "routes" ? `routes/${id}` : isOwn ? `upstreams/service:${id}` : undefined;
  return (
    <>
      {of !== undefined && isServed ? <OwnTraffic of={of} /> : null}
      {isOwn ? <Nodes kind={kind} id={id} /> : null}
    </>
  );
}

/** Two lines on a phone. */
const HEIGHT = { base: 57, sm: 30 };

/** Recent traffic of one route or upstream: a line of figures, and charts of the last hour on request. */
function OwnTraffic({ of }: { of: string }) {
  const { t, i18n } = useTranslation();
  const { language } = i18n;
  const [seconds, setSeconds] = useState(SHOWN_SECONDS);
  const [isOpen, { toggle }] = useDisclosure();
  const { data } = useQuery(overviewQuery({ seconds, of }));
  const second = useLiveOverview({ seconds, of });
  const isAway = useAwaySince() !== undefined;
  if (data === undefined) return <Text mih={HEIGHT} />;
  const { total, counted_seconds: counted, kept } = data;
  const now = perSecond(isAway ? undefined : second?.requests, language);
  return (
    <Stack gap="sm" component="section" aria-label={t("own.title")}>
      <Group gap="md" mih={HEIGHT}>
        {kept ? (
          <>
            <Text size="sm">
              {t(seconds === SHOWN_SECONDS ? "own.minutes" : "own.hour", {
                ...{ now, rate: rate(total.requests, counted, language) },
                ...{ errors: share(total.errors_5xx, total.requests, language) },
                refused: share(total.errors_4xx, total.requests, language),
                p99: total.p99 === null ? "–" : t("overview.ms", { value: Math.round(total.p99) }),
              })}
            </Text>
            <Button variant="default" size="compact-sm" aria-expanded={isOpen} onClick={toggle}>
              {t(isOpen ? "own.fold" : "own.unfold")}
            </Button>
          </>
        ) : (
          <Dimmed>{t("own.none")}</Dimmed>
        )}
      </Group>
      {isOpen && kept ? (
        <TrafficTiles
          {...{ total, counted, seconds }}
          second={isAway ? undefined : second}
          onSeconds={setSeconds}
        />
      ) : null}
    </Stack>
  );
}
