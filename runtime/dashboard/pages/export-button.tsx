import { Alert, Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { exportedFile, keepFile } from "../api/export";
import { LoadFailed } from "./failed";

/** Writes everything that runs into a file, and says what has to be set beside it. */
export function useExport() {
  const { t } = useTranslation();
  const { data, error, isPending, mutate } = useMutation({ mutationFn: exportedFile, onSuccess: keepFile });
  const button = (
    <Button variant="default" loading={isPending} onClick={() => mutate()}>
      {t("history.export")}
    </Button>
  );
  const outcome = error ? (
    <LoadFailed error={error} retry={() => mutate()} />
  ) : data ? (
    <Alert role="status" variant="light">
      {t("history.exported", { count: data.resources, file: data.name })}{" "}
      {data.variables.length > 0 ? t("history.export_sets", { names: data.variables.join(", ") }) : null}
    </Alert>
  ) : null;
  return { button, outcome };
}
