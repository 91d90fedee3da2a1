import { Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Protectable } from "./api";
import { Copied } from "./copied";
import { pluginOf } from "./snippets";

interface ChosenRouteProps {
  route: string;
  /** Undefined: no route has that id. */
  chosen: Protectable | undefined;
  siteKey: string;
}

export function ChosenRoute({ route, chosen, siteKey }: ChosenRouteProps) {
  const { t } = useTranslation();
  if (route === "") return null;
  if (chosen === undefined) return <Text size="sm">{t("captcha.protect_unknown", { route })}</Text>;
  const { file } = chosen;
  if (file !== undefined)
    return (
      <Stack gap="sm">
        <Text size="sm">{t("captcha.protect_in_file", { file })}</Text>
        <Copied title={t("captcha.plugin")} text={pluginOf({ siteKey })} />
      </Stack>
    );
  return (
    <>
      {chosen.siteKey === undefined ? null : (
        <Text size="sm">{t("captcha.protected_already", { siteKey: chosen.siteKey })}</Text>
      )}
      {chosen.enabled ? null : <Text size="sm">{t("captcha.protect_disabled")}</Text>}
    </>
  );
}
