import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ComponentProps, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import {
  AdminError,
  Conflict,
  changeOf,
  idOf,
  ifFound,
  notifyFailure,
  Rejection,
  type Schema,
  SchemaForm,
  schemaQuery,
  type UnreadableField,
  useLive,
  type Value,
  type WriteAnswer,
} from "../../../runtime/dashboard/plugin-kit";
import { type CaptchaKind, pathOf, read, type Version, write } from "./api";

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

interface CaptchaFieldsProps
  extends Pick<ComponentProps<typeof SchemaForm>, "left" | "primary" | "readOnly">,
    Pick<Editing, "value" | "unreadable" | "edit"> {
  kind: CaptchaKind;
}

export function CaptchaFields({ kind, edit, ...form }: CaptchaFieldsProps) {
  const { data: schema } = useQuery(schemaQuery(pathOf(kind)));
  if (schema === undefined) return <Skeleton h={240} aria-busy />;
  return (
    <Suspense>
      <SchemaForm id={`captcha-${kind}`} schema={schema as Schema} {...form} onChange={edit} />
    </Suspense>
  );
}

type Answer = Parameters<typeof changeOf>[0] & { body: WriteAnswer };

export interface Writing {
  failure: AdminError | undefined;
  writing: boolean;
  /** @param title describes the write @param onStale called in place of `failure` @returns true if written */
  run(
    send: () => Promise<Answer>,
    title: (written: WriteAnswer) => string,
    onStale?: () => Promise<void>,
  ): Promise<boolean>;
  refuse(failure: AdminError): void;
}

/** The version is no longer the newest. */
const STALE = 412;

export function useWriting(): Writing {
  const { t } = useTranslation();
  const live = useLive();
  const [failure, setFailure] = useState<AdminError>();
  const [writing, setWriting] = useState(false);
  const failed = (error: unknown) =>
    error instanceof AdminError ? setFailure(error) : notifyFailure(t("failed.save"), error);
  const run: Writing["run"] = async (send, title, onStale) => {
    setWriting(true);
    setFailure(undefined);
    try {
      const answer = await send();
      await live(title(answer.body), changeOf(answer));
      return true;
    } catch (error) {
      if (onStale && error instanceof AdminError && error.status === STALE) await onStale().catch(failed);
      else failed(error);
      return false;
    } finally {
      setWriting(false);
    }
  };
  return { failure, writing, run, refuse: setFailure };
}
