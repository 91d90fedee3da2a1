import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { threeWay } from "../../abi/three-way";
import { type AdminAnswer, AdminError, ifFound } from "../api/client";
import { changeOf, type Kind, patch, put, read, type Value, type WriteAnswer } from "../api/resources";
import { type Draft, editable, isEdited, isWhole, sentText, withValue } from "./draft";
import { useLive } from "./live";
import { notifyFailure } from "./rejection";

/** Value of a resource with the entity tag of its version; null if it is from a file, or does not exist. */
export interface Version {
  value: Value;
  etag: string | null;
}

const versionOf = ({ body, etag }: AdminAnswer<WriteAnswer>): Version => ({
  value: editable(body.value),
  etag,
});

const fetched = async (kind: Kind, id: string): Promise<Version> => {
  const { resource, etag } = await read(kind, id);
  return { value: editable(resource.value), etag };
};

/** The draft and the version that it is based on: another user's change is a conflict if the draft has changes. */
function useVersions(kind: Kind, id: string, newest: Version) {
  const { t } = useTranslation();
  const [base, setBase] = useState(newest);
  const [draft, setDraft] = useState<Draft>(() => handedDraft(kind, id, newest.value));
  const [failure, setFailure] = useState<AdminError>();
  const [conflict, setConflict] = useState<Version>();

  // State at the time of a response: the user may have typed more since the request.
  const now = useRef({ base, draft });
  now.current = { base, draft };

  function clear() {
    setFailure(undefined);
    setConflict(undefined);
  }

  /** Rebases on a version, and replaces the draft by its value or another one. */
  function take(version: Version, value?: Value) {
    setBase(version);
    setDraft(value === undefined ? { value: version.value } : withValue(now.current.draft, value, undefined));
    clear();
  }

  /** Rebases on a version made from the draft `until`; text typed since stays. */
  function follow(version: Version, until: Draft) {
    const { draft: typed } = now.current;
    take(version);
    setDraft(rebased(until, typed, version.value));
  }

  /**
   * Rebases on a version that was written independently of the draft. An incomplete text cannot be merged:
   * its save causes a conflict.
   */
  function takeIn(version: Version) {
    const { base: until, draft: typed } = now.current;
    if (typed.problem !== undefined) return;
    const { value } = threeWay(until.value, version.value, typed.value);
    setBase(version);
    setDraft(withValue(typed, value, typed.unreadable));
  }

  /** Another version is a conflict; after a deletion, a save creates the resource again. */
  async function meet(over: Version) {
    const there = await ifFound(fetched(kind, id));
    setConflict(there);
    if (there !== undefined) return;
    setBase({ value: over.value, etag: null });
    setFailure(new AdminError(404, t("conflict.deleted"), []));
  }
  return { base, draft, setDraft, failure, setFailure, conflict, now, clear, take, follow, takeIn, meet };
}

/** Notifies that a write of this page is live; an undo keeps unsaved text. */
function useTell(kind: Kind, id: string, { now, follow }: ReturnType<typeof useVersions>) {
  const { t } = useTranslation();
  const live = useLive();
  return (answer: AdminAnswer<WriteAnswer>) =>
    live(`${t(`kind.${kind}`)} ${id}`, changeOf(answer), async () => {
      const before = await fetched(kind, id);
      follow(before, { value: now.current.base.value });
    });
}

/** @param newest last version read; an unchanged draft moves to a newer version */
export function useSavedResource(kind: Kind, id: string, newest: Version) {
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

  /** Applies at once; unsaved changes stay. @throws AdminError */
  async function change(fields: Value) {
    const answer = await patch(kind, id, fields, base.etag ?? undefined);
    versions.takeIn(versionOf(answer));
    await tell(answer);
  }

  /** @param over the version to overwrite @returns true if it was saved */
  async function save(over = base) {
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

  const changed = isEdited(draft, base.value);
  if (seen !== newest.etag) {
    setSeen(newest.etag);
    // A reopened page at first shows the version that it read before.
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
    save,
    change,
    take,
  };
}

/**
 * A text with unsaved changes stays as it is, so that the cursor does not move.
 * @param until draft that the version was made from
 * @param typed current draft
 */
function rebased(until: Draft, typed: Draft, version: Value): Draft {
  if (!isEdited(typed, until.value)) return { value: version };
  if (typed.text !== undefined) return typed;
  return withValue(typed, threeWay(until.value, version, typed.value).value, typed.unreadable);
}

interface Handed {
  kind: Kind;
  id: string;
  until: Draft;
  typed: Draft;
}
let handed: Handed | undefined;

/** Passes text typed during the creation of a resource to the page of the resource, which opens next. */
export function handDraft(draft: Handed): void {
  handed = draft;
}

function handedDraft(kind: Kind, id: string, value: Value): Draft {
  const given = handed?.kind === kind && handed.id === id ? handed : undefined;
  handed = undefined;
  return given === undefined ? { value } : rebased(given.until, given.typed, value);
}
