import { hasUserInfo, USER_INFO } from "../runtime/abi/user-info.js";
import { namedKind } from "../runtime/control/admin/kinds.js";

/** `gwc adopt KIND/ID`: asks the running gateway to let its files take over a stored resource. */
export async function adopt(resource: string, options: { key: string; admin: string }): Promise<number> {
  const { path: kind, rest } = namedKind(resource.split("/"));
  const [id = "", ...more] = rest;
  if (kind === "" || id === "" || more.length > 0) {
    process.stderr.write(`gwc: "${resource}" is not KIND/ID, such as routes/shop-orders\n`);
    return 2;
  }
  if (hasUserInfo(options.admin)) {
    process.stderr.write(`gwc: ${USER_INFO}\n`);
    return 2;
  }
  const address = `${options.admin.replace(/\/$/, "")}/gw/admin/adopt/${kind}/${encodeURIComponent(id)}`;
  let response: Response;
  try {
    response = await fetch(address, {
      method: "POST",
      headers: { "X-API-KEY": options.key, "Content-Type": "application/json" },
    });
  } catch (error) {
    const cause =
      error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    process.stderr.write(`gwc: no gateway answers at ${options.admin}: ${cause}\n`);
    return 1;
  }
  const text = await response.text();
  if (response.ok) {
    process.stdout.write(`${kind}/${id} is served from the files now; the stored copy is removed\n`);
    return 0;
  }
  process.stderr.write(`gwc: ${response.status}: ${text.trim()}\n`);
  return 1;
}
