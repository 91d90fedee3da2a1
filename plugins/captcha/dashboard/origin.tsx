import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Resource } from "../../../runtime/dashboard/plugin-kit";

/** Shows nothing for a resource from the store. */
export function Origin({ resource }: { resource: Resource }) {
  const { t } = useTranslation();
  return resource.static === undefined ? null : (
    <Text size="xs" c="dimmed">
      {t("captcha.set_in", { place: resource.static })}
    </Text>
  );
}
