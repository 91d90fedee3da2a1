import { TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { momentOf, pickedOf } from "./moments";

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
