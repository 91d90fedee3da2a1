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
import { complain, complainInLines, failed } from "./complain.js";

/** `gwc adopt KIND/ID`: asks the running gateway to let its files take over a stored resource. */
export async function adopt(
  resource: string,
  options: { key?: string | undefined; admin: string },
): Promise<number> {
  const { path: kind, rest } = namedKind(resource.split("/"));
  const [id = "", ...more] = rest;
  if (kind === "" || id === "" || more.length > 0)
    return failed(`the resource must be KIND/ID, such as routes/shop-orders, not "${resource}"`, 2);
  if (hasUserInfo(options.admin)) return failed(USER_INFO, 2);
  const path = `adopt/${kind}/${encodeURIComponent(id)}`;
  let said: Awaited<ReturnType<typeof callAdminApi>>;
  try {
    said = await callAdminApi({ admin: options.admin, key: options.key, path, method: "POST", body: "" });
  } catch (error) {
    if (!(error instanceof NoAdminReplyError)) throw error;
    return failed(error.message, 1);
  }
  if (said.isOk) {
    process.stdout.write(
      `${visibleLine(`${kind}/${id}`)} is now served from the files; the stored copy was removed\n`,
    );
    return 0;
  }
  complainInLines(rejectionReport(said));
  if (said.status === 401 && !options.key) complain(KEY_WANTED);
  return 1;
}
