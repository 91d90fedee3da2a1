/** Requests with forms of browsers and scripts, as byte strings. */

const HOST = "Host: shop.test\r\n";

export function formPost(fields: Record<string, string>, more = ""): string {
  return post("application/x-www-form-urlencoded", new URLSearchParams(fields).toString(), more);
}

export function jsonPost(text: string, more = ""): string {
  return post("application/json", Buffer.from(text).toString("latin1"), more);
}

export const multipartPost = (body: string, more = ""): string => post(MULTIPART, body, more);

export function post(contentType: string, body: string, more = ""): string {
  return `${postHead(contentType, body.length, more)}${body}`;
}

function postHead(contentType: string, length: number, more = ""): string {
  return `POST /form HTTP/1.1\r\n${HOST}Content-Type: ${contentType}\r\nContent-Length: ${length}\r\n${more}\r\n`;
}

const BOUNDARY = "----WebKitFormBoundary7MA4YWxkTrZu0gW";
export const MULTIPART: string = `multipart/form-data; boundary=${BOUNDARY}`;
export const CLOSING: string = `--${BOUNDARY}--\r\n`;

/** A part of a multipart form with the delimiter before it. */
export function part(name: string, content: string, more = ""): string {
  return `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${content}\r\n`;
}
