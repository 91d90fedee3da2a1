import { Alert, Button, Drawer, Group, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { AdminError } from "../api/client";
import { changeQuery, revert, type WholeChange } from "../api/history";
import type { Value } from "../api/resources";
import { useWriteRefusal } from "../api/session";
import { ChangesPanel } from "./changes-panel";
import { editable, textOf } from "./draft";
import { useLive } from "./live";
import { notifyFailure, Refused } from "./refused";

/** One change, line by line, and what takes it back. */
export function ChangeDrawer({ number, onClose }: { number: number | undefined; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Drawer
      opened={number !== undefined}
      onClose={onClose}
      position="right"
      size="xl"
      title={number === undefined ? "" : t("history.change", { number })}
      closeButtonProps={{ "aria-label": t("action.close") }}
    >
      {number === undefined ? null : <Opened key={number} number={number} onDone={onClose} />}
    </Drawer>
  );
}

/** Fields in the order of the version before, new ones after them: what has only moved is no change. */
function inOrderOf(before: Value | null, after: Value | null): Value | null {
  if (before === null || after === null) return after;
  const kept = Object.keys(before).filter((name) => name in after);
  return { ...Object.fromEntries(kept.map((name) => [name, after[name]])), ...after };
}

const yaml = (version: Value | null) => (version === null ? "" : textOf(editable(version), "yaml"));

function Opened({ number, onDone }: { number: number; onDone: () => void }) {
  const { data, error } = useQuery(changeQuery(number));
  if (error) return <Alert color="red">{error.message}</Alert>;
  if (!data) return <Skeleton h={200} aria-busy />;
  return (
    <Stack gap="md">
      {data.note === null ? null : <Text>{data.note}</Text>}
      <Text size="sm" className="code">
        {data.kind}/{data.id}
      </Text>
      <ChangesPanel before={yaml(data.before)} after={yaml(inOrderOf(data.before, data.after))} />
      <Revert change={data} onDone={onDone} />
    </Stack>
  );
}

function Revert({
  change: { number, kind, id, current },
  onDone,
}: {
  change: WholeChange;
  onDone: () => void;
}) {
  const { t } = useTranslation();
  const refusal = useWriteRefusal();
  const live = useLive();
  const [failure, setFailure] = useState<AdminError>();
  async function takeBack() {
    setFailure(undefined);
    try {
      await revert(number);
      onDone();
      await live(`${kind}/${id}`, []);
    } catch (error) {
      if (error instanceof AdminError) setFailure(error);
      else notifyFailure(t("failed.save"), error);
    }
  }
  return (
    <Stack gap="sm">
      {current ? null : <Alert color="yellow">{t("history.superseded")}</Alert>}
      <Refused failure={failure} />
      <Group justify="flex-end">
        <Button disabled={refusal !== undefined || !current} onClick={() => void takeBack()}>
          {t("history.revert")}
        </Button>
      </Group>
    </Stack>
  );
}
