import { useState } from "react";
import { useTranslation } from "react-i18next";
import {
  AdminError,
  Conflict,
  idOf,
  Rejection,
  type UnreadableField,
  type Value,
} from "../../../runtime/dashboard/plugin-kit";
import { type CaptchaKind, read, type Version, write } from "./api";
import { useWriting } from "./writing";

interface Edited {
  value: Value;
  unreadable: readonly UnreadableField[];
}

/** A resource of the captcha while it is edited. */
export interface Editing extends Edited {
  /** Version that the edit began with. */
  base: Version;
  /** Version of somebody else, saved meanwhile. */
  conflict: Version | undefined;
  failure: AdminError | undefined;
  writing: boolean;
  edit(value: Value, unreadable?: readonly UnreadableField[]): void;
  /** @param over the version that is written over. @returns id of what was written; undefined: nothing was */
  save(over?: Version): Promise<string | undefined>;
  /** Goes on from a version, with its value or another. */
  take(version: Version, value?: Value): void;
}

/** Undefined: somebody has deleted it. */
const nowOf = (kind: CaptchaKind, id: string): Promise<Version | undefined> =>
  read(kind, id).catch((error: unknown) => {
    if (error instanceof AdminError && error.status === 404) return undefined;
    throw error;
  });

/**
 * @param isNew it is to be made: what is there already is not written over
 * @param title says what was written
 */
export function useEditing(
  { kind, id, isNew }: { kind: CaptchaKind; id: string; isNew: boolean },
  begun: Version,
  title: (id: string) => string,
): Editing {
  const { t } = useTranslation();
  const [base, setBase] = useState(begun);
  const [edited, setEdited] = useState<Edited>({ value: begun.value, unreadable: [] });
  const [conflict, setConflict] = useState<Version>();
  const { failure, writing, run, refuse } = useWriting();

  function take(version: Version, value = version.value) {
    setBase(version);
    setEdited({ value, unreadable: [] });
    setConflict(undefined);
  }

  /** Somebody else was there first: with another version, or by deleting it. */
  async function meet() {
    const now = await nowOf(kind, id);
    setConflict(now);
    if (now === undefined) refuse(new AdminError(404, t("captcha.deleted_meanwhile"), []));
  }

  async function save(over = base): Promise<string | undefined> {
    let written: string | undefined;
    setConflict(undefined);
    await run(
      () => write({ kind, id, ...(!isNew && { etag: over.etag }) }, JSON.stringify(edited.value, null, 2)),
      (resource) => {
        written = idOf(resource);
        return title(written);
      },
      isNew ? undefined : meet,
    );
    return written;
  }

  return {
    ...{ base, conflict, failure, writing, save, take, ...edited },
    edit: (value, unreadable = []) => setEdited({ value, unreadable }),
  };
}

/** Why it was not saved: what the gateway refused, or both versions, of which one is chosen or both are put together. */
export function Unsaved({ editing, onSaved }: { editing: Editing; onSaved(): void }) {
  const { base, value, conflict, failure, take, save } = editing;
  async function overwrite(over: Version) {
    if ((await save(over)) !== undefined) onSaved();
  }
  return (
    <>
      <Rejection failure={failure} />
      {conflict ? (
        <Conflict
          base={base.value}
          mine={value}
          theirs={conflict.value}
          onMerge={(merged) => take(conflict, merged)}
          onTheirs={() => take(conflict)}
          onMine={() => void overwrite(conflict)}
        />
      ) : null}
    </>
  );
}
