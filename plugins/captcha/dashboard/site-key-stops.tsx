import { Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { usersQuery } from "./api";

/** Maximum; above that, the number of names is more useful. */
const SHOWN = 12;

/** Pages, and the gateway's resources that verify its tokens. */
export function SiteKeyStops({ id, text }: { id: string; text: string }) {
  const { t } = useTranslation();
  const { data: users = [] } = useQuery(usersQuery(id));
  const more = users.length - SHOWN;
  return (
    <Stack gap="xs">
      <Text size="sm">{text}</Text>
      {users.length > 0 ? (
        <>
          <Text size="sm">{t("captcha.verified_by", { count: users.length })}</Text>
          <Text size="sm" className="code wrapped">
            {users.slice(0, SHOWN).join(", ")}
          </Text>
        </>
      ) : null}
      {more > 0 ? <Text size="sm">{t("captcha.more_hosts", { count: more })}</Text> : null}
    </Stack>
  );
}
