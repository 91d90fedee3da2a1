import { Alert, Button, Menu } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Answers } from "../api/answers.gen";
import { callAdmin } from "../api/client";
import { LoadFailed } from "./elements";

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

interface ExportedFile {
  name: string;
  text: string;
  resources: number;
  /** Names of variables to set. */
  variables: string[];
}

type ExportedOrigin = "all" | "files" | "store";

/** @throws AdminError, UnreachableError */
async function exportedFile(origin: ExportedOrigin): Promise<ExportedFile> {
  const {
    configuration,
    variables,
    left_out: leftOut,
  } = (await callAdmin<Answers["exportConfiguration"]>(`export?origin=${origin}`)).body;
  const { stringify } = await import("yaml");
  const resources = Object.values(configuration).reduce((sum, items) => sum + items.length, 0);
  const notes = [
    `${resources} resources of ${location.host}, ${new Date().toISOString()}, without settings of the deployment`,
    ...variables.map(({ name, resource, path }) => `set ${name}: ${resource} ${path.join(".")}`),
    ...leftOut.map((name) => `left out: ${name}, because the gateway keeps only a digest of its secret`),
  ];
  return {
    name: NAMES[origin],
    text:
      notes.map((note) => `# ${note}\n`).join("") +
      stringify(configuration, { lineWidth: 0, aliasDuplicateObjects: false }),
    resources,
    variables: variables.map(({ name }) => name),
  };
}

const NAMES = { all: "gateway.yaml", files: "from-files.yaml", store: "from-the-store.yaml" } as const;

function keepFile({ name, text }: Pick<ExportedFile, "name" | "text">): void {
  const url = URL.createObjectURL(new Blob([text], { type: "application/yaml" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // Firefox reads it after the click.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
