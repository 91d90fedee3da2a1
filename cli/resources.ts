import { rejectionReport } from "../compiler/report/rejection-report.js";
import {
  callAdminApi,
  hasUserInfo,
  KEY_WANTED,
  NoAdminReplyError,
  USER_INFO,
} from "../runtime/abi/admin-call.js";
import { visibleLine } from "../runtime/abi/text/unseen.js";
import { namedKind } from "../runtime/control/admin/kinds.js";
import { complain, complainInLines, failed, printJson } from "./output.js";

interface AdminOptions {
  admin: string;
  key?: string;
}

interface ExportOptions extends AdminOptions {
  origin: "all" | "files" | "store";
  format: "yaml" | "json";
}

/** `gwc adopt KIND/ID`: asks the running gateway to let its files take over a stored resource. */
export async function adopt(resource: string, options: AdminOptions): Promise<number> {
  const { path: kind, rest } = namedKind(resource.split("/"));
  const [id = "", ...more] = rest;
  if (kind === "" || id === "" || more.length > 0)
    return failed(`the resource must be KIND/ID, such as routes/shop-orders, not "${resource}"`, 2);
  const path = `adopt/${kind}/${encodeURIComponent(id)}`;
  const reply = await called({ path, method: "POST", body: "" }, options, "");
  if (typeof reply === "number") return reply;
  process.stdout.write(
    `${visibleLine(`${kind}/${id}`)} is now served from the files; the stored copy was removed\n`,
  );
  return 0;
}

/** Response of `GET /gw/admin/export`. */
interface Exported {
  configuration: Record<string, object[]>;
  variables: { name: string; resource: string; path: (string | number)[] }[];
  left_out: string[];
}

/** `gwc export`: writes the resources of a running gateway to standard output, as a configuration file. */
export async function exportConfiguration(options: ExportOptions): Promise<number> {
  const { admin, origin, format } = options;
  const reply = await called({ path: `export?origin=${origin}` }, options, `${visibleLine(admin)} replied `);
  if (typeof reply === "number") return reply;
  const exported = JSON.parse(reply.text) as Exported;
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

/**
 * Calls the admin API.
 * @param before precedes the report of a rejection
 * @returns the exit code, after a message, if the call failed
 */
async function called(
  call: Pick<Parameters<typeof callAdminApi>[0], "path" | "method" | "body">,
  { admin, key }: AdminOptions,
  before: string,
): Promise<Awaited<ReturnType<typeof callAdminApi>> | number> {
  if (hasUserInfo(admin)) return failed(USER_INFO, 2);
  try {
    const reply = await callAdminApi({ admin, key, ...call });
    if (reply.isOk) return reply;
    // Diagnostics have lines of their own.
    complainInLines(before + rejectionReport(reply));
    if (reply.status === 401 && !key) complain(KEY_WANTED);
    return 1;
  } catch (error) {
    if (error instanceof NoAdminReplyError) return failed(error.message, 1);
    throw error;
  }
}
