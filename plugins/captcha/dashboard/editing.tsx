import { useState } from "react";
import { useTranslation } from "react-i18next";
import {
  AdminError,
  Conflict,
  idOf,
  ifFound,
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

export interface Editing extends Edited {
  /** Version at the start of the edit. */
  base: Version;
  /** Version that somebody else has saved in the meantime. */
  conflict: Version | undefined;
  failure: AdminError | undefined;
  writing: boolean;
  edit(value: Value, unreadable?: readonly UnreadableField[]): void;
  /** @param over the version to overwrite @returns id; undefined if nothing was written */
  save(over?: Version): Promise<string | undefined>;
  /** Continues from a version, with its value or another. */
  take(version: Version, value?: Value): void;
}

/** @param isNew an existing one is not overwritten @param title describes the write */
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

  /** Somebody else saved another version or deleted it. */
  async function meet() {
    const now = await ifFound(read(kind, id));
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

/** The gateway's rejection, or both versions, to choose one or merge them. */
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
