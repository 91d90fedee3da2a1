import { STATUS_CODES } from "node:http";

/** Short page for errors of the gateway, as nginx users know them (reference 3.3). */
export function errorPage(status: number): string {
  const title = `${status} ${STATUS_CODES[status] ?? "Error"}`;
  return `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>\r\n<hr><center>gwc</center>\r\n</body>\r\n</html>\r\n`;
}
