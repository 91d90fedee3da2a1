import { Alert, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Copied } from "./copied";

/** docs/captcha/README.md */
const SECTION = `captcha:
  url: https://captcha.example.com
  secret: \${{GW_CAPTCHA_SECRET}}
`;

export function Absent() {
  const { t } = useTranslation();
  return (
    <Alert color="gray" title={t("captcha.absent")} maw={720}>
      <Stack gap="md">
        <Text size="sm">{t("captcha.absent_text")}</Text>
        <Copied title={t("captcha.absent_section")} text={SECTION} />
        <Text size="sm">{t("captcha.absent_settings")}</Text>
        <Copied title={t("captcha.absent_init")} text={"gwc captcha init --hostname example.com\n"} />
      </Stack>
    </Alert>
  );
}
