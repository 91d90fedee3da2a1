import { Modal, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { idOf, Pending, type Resource, useWriteRefusal } from "../../../runtime/dashboard/plugin-kit";
import { type CaptchaKind, type Version, versionQuery } from "./api";
import { FormButtons, RowButton } from "./buttons";
import { type Editing, Unsaved, useEditing } from "./editing";

type Shown = Pick<Editing, "value" | "unreadable" | "edit">;

interface EditButtonProps {
  kind: CaptchaKind;
  resource: Resource;
  /** Title of the dialog and of the messages about a save. */
  title: string;
  fields(editing: Shown): ReactNode;
}

export function EditButton({ kind, resource, title, fields }: EditButtonProps) {
  const { t } = useTranslation();
  const viewer = useWriteRefusal();
  const [opened, setOpened] = useState(false);
  const id = idOf(resource);
  const why = viewer ?? (resource.static === undefined ? undefined : t("captcha.of_file"));
  const close = () => setOpened(false);
  return (
    <>
      <RowButton
        word={t("captcha.edit")}
        label={t("action.edit", { name: id })}
        why={why}
        onClick={() => setOpened(true)}
      />
      <Modal
        opened={opened}
        onClose={close}
        size="lg"
        closeOnClickOutside={false}
        title={title}
        closeButtonProps={{ "aria-label": t("action.close") }}
      >
        <Opened {...{ kind, id, title, fields }} onDone={close} />
      </Modal>
    </>
  );
}

type OpenedProps = Omit<EditButtonProps, "resource"> & { id: string; onDone(): void };

function Opened(props: OpenedProps) {
  const query = useQuery({
    ...versionQuery(props.kind, props.id),
    refetchOnWindowFocus: false,
  });
  const { data } = query;
  return data ? <Form {...props} version={data} /> : <Pending query={query} h={200} />;
}

function Form({ kind, id, title, fields, version, onDone }: OpenedProps & { version: Version }) {
  const { t } = useTranslation();
  const editing = useEditing({ kind, id, isNew: false }, version, () => title);
  async function submit(event: FormEvent) {
    event.preventDefault();
    if ((await editing.save()) !== undefined) onDone();
  }
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        <Unsaved editing={editing} onSaved={onDone} />
        {fields(editing)}
        <FormButtons
          word={t("action.save")}
          disabled={editing.unreadable.length > 0}
          loading={editing.writing}
          onCancel={onDone}
        />
      </Stack>
    </form>
  );
}
