import { Modal, Stack, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { Rejection } from "../../../runtime/dashboard/plugin-kit";
import { write } from "./api";
import { FormButtons } from "./buttons";
import { CaptchaFields, type Editing, useWriting } from "./editing";

export function CustomerDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={t("captcha.add_customer")}
      closeButtonProps={{ "aria-label": t("action.close") }}
    >
      <Opened onClose={onClose} />
    </Modal>
  );
}

function Opened({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const [id, setId] = useState("");
  const [desc, setDesc] = useState("");
  const { failure, writing, run } = useWriting();
  async function submit(event: FormEvent) {
    event.preventDefault();
    const text = JSON.stringify(desc === "" ? {} : { desc });
    const done = await run(
      () => write({ kind: "customers", id }, text),
      () => t("captcha.customer_of", { id }),
    );
    if (done) onClose();
  }
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        <Rejection failure={failure} />
        <TextInput
          label={t("editor.id")}
          description={t("captcha.customer_id")}
          value={id}
          onChange={(event) => setId(event.currentTarget.value.trim())}
          required
          data-autofocus
        />
        <TextInput
          label="desc"
          description={t("captcha.customer_desc")}
          value={desc}
          onChange={(event) => setDesc(event.currentTarget.value)}
        />
        <FormButtons
          word={t("captcha.make_customer")}
          disabled={id === ""}
          loading={writing}
          onCancel={onClose}
        />
      </Stack>
    </form>
  );
}

const LEFT = ["id", "create_time", "update_time"];
const PRIMARY = { "": ["desc", "enabled", "labels"] };

/** Excludes the id, which keys refer to. */
export const CustomerFields = (editing: Pick<Editing, "value" | "unreadable" | "edit">) => (
  <CaptchaFields kind="customers" left={LEFT} primary={PRIMARY} readOnly={false} {...editing} />
);
