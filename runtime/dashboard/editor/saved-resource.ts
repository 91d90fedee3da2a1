import { useState } from "react";
import { useTranslation } from "react-i18next";
import { AdminError } from "../api/client";
import { type Kind, read, save, type Value } from "../api/resources";
import { type Draft, editable, isWhole, sentText, textOf } from "./draft";
import { useLive } from "./live";
import { notifyFailure } from "./refused";

/** A resource's value with the tag that says which version it is; null: it is from a file and has none. */
export interface Version {
  value: Value;
  etag: string | null;
}

/** A resource that is there, while it is edited. */
export interface SavedResource {
  /** What the draft was made of: somebody else's change arrives as a conflict once something is typed. */
  base: Version;
  draft: Draft;
  changed: boolean;
  saving: boolean;
  /** What the last save was refused for. */
  failure: AdminError | undefined;
  /** What somebody else has made of it meanwhile. */
  conflict: Version | undefined;
  edit(draft: Draft): void;
  /** Whether it is saved. @param over the version that is written over; default: that which the draft was made of */
  save(over?: Version): Promise<boolean>;
  /** Goes on from a version, dropping the draft for its value or another. */
  take(version: Version, value?: Value): void;
}

const fetched = async (kind: Kind, id: string): Promise<Version> => {
  const { resource, etag } = await read(kind, id);
  return { value: editable(resource.value), etag };
};

/** Undefined: somebody has deleted it. */
const nowOf = (kind: Kind, id: string): Promise<Version | undefined> =>
  fetched(kind, id).catch((error: unknown) => {
    if (error instanceof AdminError && error.status === 404) return undefined;
    throw error;
  });

/** @param newest what was read last; while nothing is changed here, a newer version is gone on from */
export function useSavedResource(kind: Kind, id: string, newest: Version): SavedResource {
  const { t } = useTranslation();
  const live = useLive();
  const [base, setBase] = useState(newest);
  const [seen, setSeen] = useState(newest.etag);
  const [draft, setDraft] = useState<Draft>({ value: newest.value });
  const [failure, setFailure] = useState<AdminError>();
  const [conflict, setConflict] = useState<Version>();
  const [saving, setSaving] = useState(false);

  function take(version: Version, value = version.value) {
    setBase(version);
    setDraft({ value });
    setFailure(undefined);
    setConflict(undefined);
  }

  async function write(over: Version) {
    const ifMatch = over.etag ?? undefined;
    const changes = await save({ kind, id, text: sentText(draft), over: over.value, ifMatch });
    take(await fetched(kind, id));
    await live(`${t(`kind.${kind}`)} ${id}`, changes, async () => take(await fetched(kind, id)));
  }

  async function saveOver(over = base) {
    if (saving || !isWhole(draft)) return false;
    let done = false;
    setSaving(true);
    setFailure(undefined);
    setConflict(undefined);
    try {
      await write(over);
      done = true;
    } catch (error) {
      if (!(error instanceof AdminError)) notifyFailure(t("failed.save"), error);
      else if (error.status === 412)
        await meet(over).catch((other) => notifyFailure(t("failed.save"), other));
      else setFailure(error);
    }
    setSaving(false);
    return done;
  }

  /** Somebody else was there first: with another version, or by deleting it, after which a save makes it anew. */
  async function meet(over: Version) {
    const now = await nowOf(kind, id);
    setConflict(now);
    if (now !== undefined) return;
    setBase({ value: over.value, etag: null });
    setFailure(new AdminError(404, t("conflict.deleted"), []));
  }

  const changed = !isWhole(draft) || textOf(draft.value, "json") !== textOf(base.value, "json");
  if (seen !== newest.etag) {
    setSeen(newest.etag);
    // A page that is opened again shows at first what it read before.
    if (!changed && !saving) take(newest);
  }
  return { base, draft, changed, saving, failure, conflict, edit: setDraft, save: saveOver, take };
}
