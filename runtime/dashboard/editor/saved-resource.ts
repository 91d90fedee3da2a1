import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { threeWay } from "../../abi/three-way";
import { type AdminAnswer, AdminError } from "../api/client";
import { changeOf, type Kind, patch, put, read, type Value, type WriteAnswer } from "../api/resources";
import { type Draft, editable, isWhole, sentText, textOf, withValue } from "./draft";
import { handedDraft, since } from "./handed-draft";
import { useLive } from "./live";
import { notifyFailure } from "./rejection";

/** A resource's value with the entity tag of its version; null: it is from a file, or nobody has made it yet. */
export interface Version {
  value: Value;
  etag: string | null;
}

/** A resource that is there, while it is edited. */
export interface SavedResource {
  /** Version that the draft was made of: somebody else's change arrives as a conflict once something is typed. */
  base: Version;
  draft: Draft;
  changed: boolean;
  saving: boolean;
  /** Refusal of the last save. */
  failure: AdminError | undefined;
  /** Version that somebody else has made meanwhile. */
  conflict: Version | undefined;
  edit(draft: Draft): void;
  /** Reports whether it is saved. @param over the version that is written over; default: that which the draft was made of */
  save(over?: Version): Promise<boolean>;
  /** Changes fields at once; the draft takes them in, and what is typed stays. @throws AdminError */
  change(fields: Value): Promise<void>;
  /** Goes on from a version, dropping the draft for its value or another. */
  take(version: Version, value?: Value): void;
}

const versionOf = ({ body, etag }: AdminAnswer<WriteAnswer>): Version => ({
  value: editable(body.value),
  etag,
});

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

/** The version that a draft goes on from, and what stands in its way. */
function useVersions(kind: Kind, id: string, newest: Version) {
  const { t } = useTranslation();
  const [base, setBase] = useState(newest);
  const [draft, setDraft] = useState<Draft>(() => handedDraft(kind, id, newest.value));
  const [failure, setFailure] = useState<AdminError>();
  const [conflict, setConflict] = useState<Version>();

  // State at the time of an answer: more may be typed by then than at the time of its request.
  const now = useRef({ base, draft });
  now.current = { base, draft };

  function clear() {
    setFailure(undefined);
    setConflict(undefined);
  }

  function take(version: Version, value?: Value) {
    setBase(version);
    setDraft(value === undefined ? { value: version.value } : withValue(now.current.draft, value, undefined));
    clear();
  }

  /** Goes on from a version that comes of what was typed until then; what has been typed since stays. */
  function follow(version: Version, until: Draft) {
    const { draft: typed } = now.current;
    take(version);
    setDraft(since(until, typed, version.value));
  }

  /** Goes on from a version that was made beside the draft. Half a text cannot be merged: its save meets the version as a conflict. */
  function takeIn(version: Version) {
    const { base: until, draft: typed } = now.current;
    if (typed.problem !== undefined) return;
    const { value } = threeWay(until.value, version.value, typed.value);
    setBase(version);
    setDraft(withValue(typed, value, typed.unreadable));
  }

  /** Somebody else was there first: with another version, or by deleting it, after which a save makes it anew. */
  async function meet(over: Version) {
    const there = await nowOf(kind, id);
    setConflict(there);
    if (there !== undefined) return;
    setBase({ value: over.value, etag: null });
    setFailure(new AdminError(404, t("conflict.deleted"), []));
  }
  return { base, draft, setDraft, failure, setFailure, conflict, now, clear, take, follow, takeIn, meet };
}

/** Says that a write of this page is live; what is typed stays when it is taken back. */
function useTell(kind: Kind, id: string, { now, follow }: ReturnType<typeof useVersions>) {
  const { t } = useTranslation();
  const live = useLive();
  return (answer: AdminAnswer<WriteAnswer>) =>
    live(`${t(`kind.${kind}`)} ${id}`, changeOf(answer), async () => {
      const before = await fetched(kind, id);
      follow(before, { value: now.current.base.value });
    });
}

/** @param newest what was read last; while nothing is changed here, a newer version is gone on from */
export function useSavedResource(kind: Kind, id: string, newest: Version): SavedResource {
  const { t } = useTranslation();
  const versions = useVersions(kind, id, newest);
  const { base, draft, failure, conflict, take, follow } = versions;
  const tell = useTell(kind, id, versions);
  const [seen, setSeen] = useState(newest.etag);
  const [saving, setSaving] = useState(false);

  async function write(over: Version) {
    const condition = over.etag === null ? { onlyNew: true } : { ifMatch: over.etag };
    const answer = await put({ kind, id, text: sentText(draft), over: over.value, ...condition });
    follow(versionOf(answer), draft);
    await tell(answer);
  }

  async function change(fields: Value) {
    const answer = await patch(kind, id, fields, base.etag ?? undefined);
    versions.takeIn(versionOf(answer));
    await tell(answer);
  }

  async function saveOver(over = base) {
    if (saving || !isWhole(draft)) return false;
    let done = false;
    setSaving(true);
    versions.clear();
    try {
      await write(over);
      done = true;
    } catch (error) {
      if (!(error instanceof AdminError)) notifyFailure(t("failed.save"), error);
      else if (error.status === 412)
        await versions.meet(over).catch((other) => notifyFailure(t("failed.save"), other));
      else versions.setFailure(error);
    }
    setSaving(false);
    return done;
  }

  const changed = !isWhole(draft) || textOf(draft.value, "json") !== textOf(base.value, "json");
  if (seen !== newest.etag) {
    setSeen(newest.etag);
    // A page that is opened again shows at first what it read before.
    if (!changed && !saving) take(newest);
  }
  return {
    base,
    draft,
    changed,
    saving,
    failure,
    conflict,
    edit: versions.setDraft,
    save: saveOver,
    change,
    take,
  };
}
