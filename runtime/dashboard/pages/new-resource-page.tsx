import { Alert, Autocomplete, Button, Group, Stack, TextInput, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { AdminError } from "../api/client";
import { type Kind, make, pluginsQuery, resourceQuery, type Value } from "../api/resources";
import { useWriteRefusal } from "../api/session";
import { useModKey } from "../app/keys";
import { newRoute } from "../app/router";
import { type Draft, editable, isEdited, isWhole, sentText } from "../editor/draft";
import { useChecked } from "../editor/draft-queries";
import { useLeaveQuestion } from "../editor/leave-question";
import { useLive } from "../editor/live";
import { notifyFailure, Rejection } from "../editor/rejection";
import { ResourceEditor } from "../editor/resource-editor";
import { handDraft } from "../editor/saved-resource";
import { useUnsavable } from "../editor/unreadable";
import { Pending, WIDEST } from "./elements";
import { NoteField } from "./note-field";

export function NewResourcePage() {
  const { kind } = newRoute.useParams();
  const { from } = newRoute.useSearch();
  const like = useQuery({ ...resourceQuery(kind, from ?? ""), enabled: from !== undefined });
  if (from !== undefined && !like.data) return <Pending query={like} h={320} />;
  const beginning = like.data ? copyOf(like.data.resource.value) : BEGINNING[kind];
  return <Begun key={`${kind} ${from}`} kind={kind} beginning={beginning} />;
}

function copyOf(value: Value): Value {
  const { id: _, username: __, ...rest } = editable(value);
  return rest;
}

function Begun({ kind, beginning }: { kind: Kind; beginning: Value }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { tab = "form", from } = newRoute.useSearch();
  const refusal = useWriteRefusal();
  const made = useNewResource(kind, beginning);
  const [saved, setSaved] = useState<string>();
  const { id, draft, text, begun, complete, saving } = made;
  const canSave = refusal === undefined && complete;
  const sent = { ...{ kind, id, text }, over: undefined };
  const checked = useChecked({
    ...sent,
    onlyNew: true,
    enabled: begun && refusal === undefined && draft.problem === undefined,
  });
  const unsavable = useUnsavable(draft);
  const save = async () => (canSave ? setSaved(await made.save()) : undefined);
  useModKey("s", () => void save());
  const leaving = useLeaveQuestion(
    saved === undefined && isEdited(draft, beginning) && !saving,
    canSave ? async () => (await made.save()) !== undefined : undefined,
  );
  // In an effect, since the leave confirmation must have seen the save.
  useEffect(() => {
    if (saved !== undefined) void navigate({ to: "/$kind/$id", params: { kind, id: saved } });
  }, [saved, kind, navigate]);
  return (
    <Stack gap="lg" maw={WIDEST}>
      {leaving}
      <Group justify="space-between" align="center" className="resource-head">
        <Title order={1}>{t(`new.${kind}`)}</Title>
        <Button disabled={!canSave} title={unsavable} loading={saving} onClick={() => void save()}>
          {t("action.save")}
        </Button>
      </Group>
      {refusal === undefined ? null : <Alert color="gray">{refusal}</Alert>}
      <Rejection failure={made.failure} />
      <IdInput kind={kind} id={id} onChange={made.name} />
      {refusal === undefined ? <NoteField of /> : null}
      <ResourceEditor
        {...{ kind, draft, checked, sent, tab, begun }}
        saved={undefined}
        readOnly={refusal !== undefined}
        onTab={(next) =>
          void navigate({ to: "/new/$kind", params: { kind }, search: { tab: next, from }, replace: true })
        }
        onChange={made.edit}
      />
    </Stack>
  );
}

function IdInput({ kind, id, onChange }: { kind: Kind; id: string; onChange: (id: string) => void }) {
  const { t } = useTranslation();
  const ownId = WITH_OWN_ID.has(kind);
  const hint = ownId
    ? "editor.id_hint"
    : kind === "plugin_metadata"
      ? "editor.id_plugin"
      : "editor.id_hint_needed";
  const { data: plugins = {} } = useQuery(pluginsQuery);
  const withMetadata = Object.keys(plugins).filter((name) => plugins[name]?.metadata_schema !== undefined);
  const common = {
    maw: 480,
    label: t(kind === "consumers" ? "column.name" : "editor.id"),
    description: t(hint),
    value: id,
    required: !ownId,
  };
  return kind === "plugin_metadata" ? (
    <Autocomplete {...common} data={withMetadata} onChange={(next) => onChange(next.trim())} />
  ) : (
    <TextInput {...common} onChange={(event) => onChange(event.currentTarget.value.trim())} />
  );
}

/** Kinds whose id the gateway can choose. */
const WITH_OWN_ID: ReadonlySet<Kind> = new Set(["routes", "services", "upstreams", "ssls"]);

/** Initial values of new resources: none can be saved by accident. */
const BEGINNING: Readonly<Record<Kind, Value>> = {
  routes: {},
  services: {},
  upstreams: {},
  plugin_configs: { plugins: {} },
  global_rules: { plugins: {} },
  plugin_metadata: {},
  consumers: {},
  ssls: {},
};

/** State of a resource that does not exist yet; its text contains the name of a consumer. */
function useNewResource(kind: Kind, beginning: Value) {
  const { t } = useTranslation();
  const live = useLive();
  const [id, setId] = useState("");
  const [draft, setDraft] = useState<Draft>({ value: beginning });
  const [failure, setFailure] = useState<AdminError>();
  const [saving, setSaving] = useState(false);
  const newest = useRef(draft);
  newest.current = draft;
  const isName = kind === "consumers";
  const text =
    isName && id !== "" ? JSON.stringify({ ...draft.value, username: id }, null, 2) : sentText(draft);
  const begun = id !== "" || beginning !== BEGINNING[kind] || isEdited(draft, beginning);
  const complete = begun && isWhole(draft) && (id !== "" || WITH_OWN_ID.has(kind));

  /** @returns the id; undefined if it was rejected */
  async function save(): Promise<string | undefined> {
    if (saving || !complete) return undefined;
    setSaving(true);
    setFailure(undefined);
    try {
      const made = await make(kind, id, text);
      await live(`${t(`kind.${kind}`)} ${made.id}`, made.changes);
      if (newest.current !== draft) handDraft({ kind, id: made.id, until: draft, typed: newest.current });
      return made.id;
    } catch (error) {
      if (error instanceof AdminError) setFailure(error);
      else notifyFailure(t("failed.save"), error);
      return undefined;
    } finally {
      setSaving(false);
    }
  }

  return { id, draft, text, begun, complete, saving, failure, name: setId, edit: setDraft, save };
}
