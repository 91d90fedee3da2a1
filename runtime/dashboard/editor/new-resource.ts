import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { AdminError } from "../api/client";
import { type Kind, make, type Value } from "../api/resources";
import { type Draft, isWhole, sentText, textOf } from "./draft";
import { useLive } from "./live";
import { notifyFailure } from "./rejection";
import { handDraft } from "./saved-resource";

/** Kinds whose id the gateway can choose. */
export const WITH_OWN_ID: ReadonlySet<Kind> = new Set(["routes", "services", "upstreams", "ssls"]);

/** Initial values of new resources: none can be saved by accident. */
export const BEGINNING: Readonly<Record<Kind, Value>> = {
  routes: {},
  services: {},
  upstreams: {},
  plugin_configs: { plugins: {} },
  global_rules: { plugins: {} },
  plugin_metadata: {},
  consumers: {},
  ssls: {},
};

export interface NewResource {
  id: string;
  draft: Draft;
  /** Text that is sent and checked; it contains the name of a consumer. */
  text: string;
  /** The user has entered something, or it copies another resource. */
  begun: boolean;
  /** Begun, with valid text and an id. */
  complete: boolean;
  saving: boolean;
  failure: AdminError | undefined;
  name(id: string): void;
  edit(draft: Draft): void;
  /** @returns the id; undefined if it was rejected */
  save(): Promise<string | undefined>;
}

export function useNewResource(kind: Kind, beginning: Value): NewResource {
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
  const begun =
    id !== "" ||
    beginning !== BEGINNING[kind] ||
    !isWhole(draft) ||
    textOf(draft.value, "json") !== textOf(beginning, "json");
  const complete = begun && isWhole(draft) && (id !== "" || WITH_OWN_ID.has(kind));

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
