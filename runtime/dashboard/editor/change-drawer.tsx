import { Alert, Drawer, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { changeQuery } from "../api/history";
import { LoadFailed } from "../pages/failed";
import { TakeBack } from "./take-back";
import { VersionsPanel } from "./versions-panel";

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

function Opened({ number, onDone }: { number: number; onDone: () => void }) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(changeQuery(number));
  if (error && !data) return <LoadFailed error={error} retry={() => void refetch()} />;
  if (!data) return <Skeleton h={200} aria-busy />;
  return (
    <Stack gap="md">
      {data.note === null ? null : <Text>{data.note}</Text>}
      <Text size="sm" className="code">
        {data.kind}/{data.id}
      </Text>
      <VersionsPanel before={data.before} after={data.after} />
      {data.origin === "files" ? (
        <Alert color="gray">
          {t(data.after === null ? "history.file_gone" : "history.file_truth", { place: data.place ?? "" })}
        </Alert>
      ) : (
        <TakeBack change={data} onDone={onDone} />
      )}
    </Stack>
  );
}
