import { rejectionReport } from "../compiler/report/rejection-report.js";
import {
  callAdminApi,
  hasUserInfo,
  KEY_WANTED,
  NoAdminReplyError,
  USER_INFO,
} from "../runtime/abi/admin-call.js";
import { visibleLine } from "../runtime/abi/text/unseen.js";
import { complain, complainInLines, failed, printJson } from "./complain.js";

export interface ExportOptions {
  admin: string;
  key?: string;
  origin: "all" | "files" | "store";
  format: "yaml" | "json";
}

/** Response of `GET /gw/admin/export`. */
interface Exported {
  configuration: Record<string, object[]>;
  variables: { name: string; resource: string; path: (string | number)[] }[];
  left_out: string[];
}

/** `gwc export`: writes the resources of a running gateway to standard output, as a configuration file. */
export async function exportConfiguration({ admin, key, origin, format }: ExportOptions): Promise<number> {
  if (hasUserInfo(admin)) return failed(USER_INFO, 2);
  let said: Awaited<ReturnType<typeof callAdminApi>>;
  try {
    said = await callAdminApi({ admin, path: `export?origin=${origin}`, key });
  } catch (error) {
    if (error instanceof NoAdminReplyError) return failed(error.message, 1);
    throw error;
  }
  if (!said.isOk) {
    // Diagnostics have lines of their own.
    complainInLines(`${visibleLine(admin)} replied ${rejectionReport(said)}`);
    if (said.status === 401 && !key) complain(KEY_WANTED);
    return 1;
  }
  const exported = JSON.parse(said.text) as Exported;
  const notes = notesOf(exported, admin);
  if (format === "json") {
    printJson(exported.configuration);
  } else {
    const { writeYaml } = await import("../compiler/1-parse/yaml-document.js");
    process.stdout.write(
      notes.map((note) => `# ${visibleLine(note)}\n`).join("") + writeYaml(exported.configuration),
    );
  }
  // JSON has no comments, and the reader of a terminal need not scroll back to the top of the file.
  for (const note of notes.slice(1)) complain(note);
  return 0;
}

function notesOf({ configuration, variables, left_out: leftOut }: Exported, admin: string): string[] {
  const count = Object.values(configuration).reduce((sum, items) => sum + items.length, 0);
  return [
    `${count} resources of ${admin}, without listeners and other settings of the deployment`,
    ...variables.map(({ name, resource, path }) => `set ${name}: ${resource} ${path.join(".")}`),
    ...leftOut.map((name) => `left out: ${name}, because the gateway keeps only a digest of its secret`),
  ];
}
