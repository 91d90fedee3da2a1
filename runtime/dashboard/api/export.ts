import type { Answers } from "./answers.gen";
import { callAdmin } from "./client";

export interface ExportedFile {
  name: string;
  text: string;
  resources: number;
  /** Names of variables to set. */
  variables: string[];
}

export type ExportedOrigin = "all" | "files" | "store";

/** @throws AdminError, UnreachableError */
export async function exportedFile(origin: ExportedOrigin): Promise<ExportedFile> {
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

export function keepFile({ name, text }: Pick<ExportedFile, "name" | "text">): void {
  const url = URL.createObjectURL(new Blob([text], { type: "application/yaml" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // Firefox reads it after the click.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
