import { Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useReferrers } from "../api/references";
import type { Kind } from "../api/resources";

/** Maximum number of names shown; the rest is counted. */
const SHOWN = 12;

/** Resources that name this one prevent a deletion: the gateway rejects one that breaks a route. */
export function DeleteText({ kind, id }: { kind: Kind; id: string }) {
  const { t } = useTranslation();
  const { users } = useReferrers(kind, id);
  if (users.length === 0) return <Text size="sm">{t("delete.text")}</Text>;
  const names = users.slice(0, SHOWN).map((user) => `${user.kind}/${user.id}`);
  const more = users.length - names.length;
  return (
    <Stack gap="xs">
      <Text size="sm">{t("delete.named", { count: users.length })}</Text>
      <Text size="sm" className="code wrapped">
        {names.join(", ")}
      </Text>
      {more > 0 ? <Text size="sm">{t("uses.more", { count: more })}</Text> : null}
    </Stack>
  );
}
