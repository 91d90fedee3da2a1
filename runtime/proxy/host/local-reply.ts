import { STATUS_CODES } from "node:http";
import { errorPage } from "../../abi/error-page.js";
import { VERSION } from "../../abi/version.js";
import type { WireFault } from "../../http/fault.js";
import { dateLine } from "../exchange/clock.js";

/** Status line with CRLF; `reason` is undefined for the standard phrase. */
export function statusLine(status: number, reason: string | undefined): string {
  if (status === 200 && (reason === undefined || reason === "OK")) return "HTTP/1.1 200 OK\r\n";
  return `HTTP/1.1 ${status} ${reason ?? STATUS_CODES[status] ?? ""}\r\n`;
}

/** Body of 404 without a route (reference 2.2). */
export const NOT_FOUND_BODY = '{"error_msg":"404 Route Not Found"}\n';

/** Complete response to a request that cannot be parsed; the connection then closes. */
export function refusalText(fault: WireFault, bodiless: boolean): string {
  const page = errorPage(fault.status);
  return `${statusLine(fault.status, undefined)}Server: GW/${VERSION}\r\nDate: ${dateLine().value}\r\nContent-Type: text/html\r\nContent-Length: ${page.length}\r\nConnection: close\r\n\r\n${bodiless ? "" : page}`;
}
