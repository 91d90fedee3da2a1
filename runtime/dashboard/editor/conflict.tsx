import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { threeWay } from "../../abi/three-way";
import type { Value } from "../api/resources";
import { ChangesPanel } from "./changes-panel";
import { textOf } from "./draft";
import { bringIntoSight } from "./rejection";

export interface ConflictProps {
  /** Version that both are based on. */
  base: Value;
  mine: Value;
  theirs: Value;
  onMerge(value: Value): void;
  onMine(): void;
  onTheirs(): void;
}

/** Another user has changed the resource meanwhile: the user selects a version, or a merge of both. */
export function Conflict({ base, mine, theirs, onMerge, onMine, onTheirs }: ConflictProps) {
  const { t } = useTranslation();
  const { value, both } = useMemo(() => threeWay(base, theirs, mine), [base, theirs, mine]);
  const names = both.map((path) => path.join(".")).sort();
  return (
    <Alert color="yellow" title={t("conflict.title")} role="alert" ref={bringIntoSight}>
      <Stack gap="sm">
        <Text size="sm">{t("conflict.text")}</Text>
        <Text size="sm">
          - {t("conflict.theirs")}, + {t("conflict.mine")}
        </Text>
        <ChangesPanel before={textOf(theirs, "yaml")} after={textOf(mine, "yaml")} />
        <Group>
          <Button variant="default" onClick={onTheirs}>
            {t("conflict.keep_theirs")}
          </Button>
          <Button variant="default" onClick={onMine}>
            {t("conflict.overwrite")}
          </Button>
          <Button onClick={() => onMerge(value)}>{t("conflict.merge")}</Button>
        </Group>
        <Text size="sm">
          {both.length === 0
            ? t("conflict.apart")
            : t("conflict.both", { count: both.length, names: names.join(", ") })}
        </Text>
      </Stack>
    </Alert>
  );
}
