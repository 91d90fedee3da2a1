import { messageOf } from "../runtime/abi/error-message.js";
import { hasUserInfo, USER_INFO } from "../runtime/abi/user-info.js";

export interface ExportOptions {
  admin: string;
  key?: string;
  origin: "all" | "store";
  format: "yaml" | "json";
}

/** The answer of `GET /gw/admin/export`. */
interface Exported {
  configuration: Record<string, object[]>;
  variables: { name: string; resource: string; path: (string | number)[] }[];
  left_out: string[];
}

/** `gwc export`: writes what a running gateway has to standard output, as a configuration file. */
export async function exportConfiguration({ admin, key, origin, format }: ExportOptions): Promise<number> {
  if (hasUserInfo(admin)) return failed(USER_INFO, 2);
  let response: Response;
  let text: string;
  try {
    response = await fetch(`${admin.replace(/\/+$/, "")}/gw/admin/export?origin=${origin}`, {
      headers: key === undefined ? {} : { "X-API-KEY": key },
    });
    text = await response.text();
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return failed(`no gateway answers at ${admin}: ${messageOf(cause)}`, 1);
  }
  if (!response.ok) return failed(`${admin} answers ${response.status}: ${text.trim()}`, 1);
  const exported = JSON.parse(text) as Exported;
  const notes = notesOf(exported, admin);
  if (format === "json") {
    process.stdout.write(`${JSON.stringify(exported.configuration, null, 2)}\n`);
  } else {
    const { writeYaml } = await import("../compiler/parse/write-yaml.js");
    process.stdout.write(notes.map((note) => `# ${note}\n`).join("") + writeYaml(exported.configuration));
  }
  // JSON has no comments, and a terminal should not have to scroll back to the head of the file.
  for (const note of notes.slice(1)) process.stderr.write(`gwc: ${note}\n`);
  return 0;
}

function notesOf({ configuration, variables, left_out: leftOut }: Exported, admin: string): string[] {
  const count = Object.values(configuration).reduce((sum, items) => sum + items.length, 0);
  return [
    `${count} resources of ${admin}; listeners and other settings of the deployment are not in it.`,
    ...variables.map(({ name, resource, path }) => `set ${name}: ${resource} ${path.join(".")}`),
    ...leftOut.map((name) => `not in it: ${name}, of whose secret the gateway keeps only a digest`),
  ];
}

function failed(text: string, code: number): number {
  process.stderr.write(`gwc: ${text}\n`);
  return code;
}
