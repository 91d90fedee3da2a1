import { hasUserInfo, USER_INFO } from "../../../runtime/abi/user-info.js";

/** Where the admin API is, and the key for it. */
export interface AdminOptions {
  admin: string;
  key?: string;
}

/** The admin API did not do what was asked; the message is for the operator. */
export class AdminFailure extends Error {}

/** One call of a running gateway's admin API. @throws AdminFailure */
export async function callAdmin(
  { admin, key }: AdminOptions,
  method: string,
  path: string,
  body?: object,
): Promise<Record<string, unknown>> {
  if (hasUserInfo(admin)) throw new AdminFailure(USER_INFO);
  let response: Response;
  try {
    response = await fetch(`${admin.replace(/\/$/, "")}/gw/admin/${path}`, {
      method,
      headers: { "Content-Type": "application/json", ...(key !== undefined && { "X-API-KEY": key }) },
      ...(body && { body: JSON.stringify(body) }),
    });
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new AdminFailure(
      `no gateway answers at ${admin}: ${cause instanceof Error ? cause.message : String(cause)}`,
    );
  }
  const text = await response.text();
  if (response.status === 401)
    throw new AdminFailure("the admin API refuses the key: give it by --key or GWC_ADMIN_KEY");
  if (!response.ok) throw new AdminFailure(`${method} ${path}: ${response.status}: ${text.trim()}`);
  return JSON.parse(text) as Record<string, unknown>;
}
