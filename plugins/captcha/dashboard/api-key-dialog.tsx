import { Alert, Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { idOf, Rejection } from "../../../runtime/dashboard/plugin-kit";
import { makeApiKey } from "./api";
import { FormButtons } from "./buttons";
import { Copy } from "./copied";
import { useWriting } from "./editing";
import { ProtectRoute } from "./protect-route";
import { momentOf, pickedOf } from "./values";

interface ApiKeyDialogProps {
  customer: string;
  /** Keys of the same customer. */
  siteKeys: readonly string[];
  opened: boolean;
  onClose(): void;
}

/** Shows the new key once: only this dialog holds it. */
export function ApiKeyDialog({ customer, siteKeys, opened, onClose }: ApiKeyDialogProps) {
  const { t } = useTranslation();
  const [isShown, setIsShown] = useState(false);
  const close = () => {
    setIsShown(false);
    onClose();
  };
  return (
    <Modal
      opened={opened}
      onClose={close}
      size="lg"
      // A click outside would lose the key.
      closeOnClickOutside={!isShown}
      closeOnEscape={!isShown}
      withCloseButton={!isShown}
      title={t("captcha.add_api_key_of", { customer })}
      closeButtonProps={{ "aria-label": t("action.close") }}
    >
      <Opened customer={customer} siteKeys={siteKeys} onShown={() => setIsShown(true)} onClose={close} />
    </Modal>
  );
}

interface OpenedProps {
  customer: string;
  siteKeys: readonly string[];
  onShown(): void;
  onClose(): void;
}

function Opened({ customer, siteKeys, onShown, onClose }: OpenedProps) {
  const { t } = useTranslation();
  const [desc, setDesc] = useState("");
  const [expires, setExpires] = useState<string>();
  const [secret, setSecret] = useState<string>();
  const { failure, writing, run } = useWriting();
  async function make() {
    const made = await makeApiKey(customer, { desc: desc.trim(), expires });
    setSecret(made.body.secret);
    onShown();
    return made;
  }
  if (secret !== undefined) return <Shown {...{ customer, secret, siteKeys, onClose }} />;
  return (
    <Stack gap="md">
      <Rejection failure={failure} />
      <Text size="sm">{t("captcha.api_key_text")}</Text>
      <ApiKeyFields {...{ desc, expires }} onDesc={setDesc} onExpires={setExpires} />
      <FormButtons
        word={t("captcha.make_api_key")}
        loading={writing}
        onCancel={onClose}
        onClick={() => void run(make, (made) => t("captcha.api_key_made", { id: idOf(made) }))}
        data-autofocus
      />
    </Stack>
  );
}

interface ShownProps {
  customer: string;
  secret: string;
  siteKeys: readonly string[];
  onClose(): void;
}

function Shown({ customer, secret, siteKeys, onClose }: ShownProps) {
  const { t } = useTranslation();
  return (
    <Stack gap="md">
      <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} title={t("captcha.shown_once")}>
        {t("captcha.shown_once_text")}
      </Alert>
      <Group align="flex-end" wrap="nowrap">
        <TextInput
          flex={1}
          label={t("captcha.api_key")}
          value={secret}
          readOnly
          autoComplete="off"
          classNames={{ input: "code" }}
          onFocus={(event) => event.currentTarget.select()}
        />
        <Copy text={secret} what={t("captcha.api_key")} size="sm" />
      </Group>
      <Group justify="flex-end">
        {siteKeys.length > 0 ? <ProtectRoute {...{ customer, siteKeys }} apiKey={secret} /> : null}
        <Button onClick={onClose}>{t("captcha.kept")}</Button>
      </Group>
    </Stack>
  );
}

/** Limit of the schema. */
const MAX_DESC = 256;

interface ApiKeyFieldsProps {
  desc: string;
  /** Stored in the gateway or typed here. */
  expires: unknown;
  onDesc(desc: string): void;
  /** RFC 3339; undefined: it does not expire. */
  onExpires(expires: string | undefined): void;
}

export function ApiKeyFields({ desc, expires, onDesc, onExpires }: ApiKeyFieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      <TextInput
        label={t("captcha.api_key_desc")}
        description={t("captcha.api_key_desc_hint")}
        maxLength={MAX_DESC}
        value={desc}
        onChange={(event) => onDesc(event.currentTarget.value)}
      />
      <TextInput
        type="datetime-local"
        label={t("captcha.expires")}
        description={t("captcha.expires_hint")}
        value={pickedOf(expires)}
        onChange={(event) => onExpires(momentOf(event.currentTarget.value))}
      />
    </>
  );
}
