import { Alert, Button, Menu } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { type ExportedOrigin, exportedFile, keepFile } from "../api/export";
import { LoadFailed } from "./failed";

const ORIGINS: readonly ExportedOrigin[] = ["all", "files", "store"];

export function useExport() {
  const { t } = useTranslation();
  const { data, error, isPending, mutate, variables } = useMutation({
    mutationFn: exportedFile,
    onSuccess: keepFile,
  });
  const button = (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" loading={isPending}>
          {t("history.export")}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {ORIGINS.map((origin) => (
          <Menu.Item key={origin} onClick={() => mutate(origin)}>
            {t(`history.export_${origin}`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
  const outcome = error ? (
    <LoadFailed error={error} retry={() => mutate(variables ?? "all")} />
  ) : data ? (
    <Alert role="status" variant="light">
      {t("history.exported", { count: data.resources, file: data.name })}{" "}
      {data.variables.length > 0 ? t("history.export_sets", { names: data.variables.join(", ") }) : null}
    </Alert>
  ) : null;
  return { button, outcome };
}
