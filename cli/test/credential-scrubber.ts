import type { Names } from "../../compiler/variables/credential-text.js";
import { environmentReferences, substituteEnvironment } from "../../runtime/abi/environment.js";
import type { RequestSpec } from "../../runtime/control/in-process/exchange-spec.js";

export const PLACEHOLDER = "stand-in";

/** Minimum length of a word of a credential; shorter words occur in any text. */
const WORD = 6;
const COMMON = /^(?:bearer|basic|digest|secure|httponly|samesite|strict|expires|max-age|domain)$/i;

const ARGUMENT = /([?&])([^=&#]*)=([^&#\s]*)/g;
const FORM = /^[^=&\s{[<]+=[^&\s]*(?:&[^=&\s]+=[^&\s]*)*$/;

/**
 * Removes credentials from what goes into a file: headers, arguments and members with credential names lose
 * their values. A value that names a variable stays, because it reveals nothing.
 */
export class CredentialScrubber {
  /** Descriptions of the removed values. */
  readonly taken: string[] = [];
  /** The values and their words: an upstream may send them back anywhere. */
  readonly values: string[] = [];
  readonly #names: Names;

  /** @param names names of headers and arguments that are credentials */
  constructor(names: Names) {
    this.#names = names;
  }

  #text(what: string, name: string, text: string): string {
    if (!this.#names.has(name) || text === "" || environmentReferences(text).length > 0) return text;
    this.taken.push(`${name}, ${what}`);
    this.values.push(
      text,
      ...text.split(/[\s;=,]+/).filter((word) => word.length >= WORD && !COMMON.test(word)),
    );
    return PLACEHOLDER;
  }

  /** Scrubs query arguments, of a URL anywhere in the text. */
  target(text: string, where = ""): string {
    return text.replace(ARGUMENT, (_, mark: string, name: string, value: string) => {
      return `${mark}${name}=${this.#text(`an argument${where}`, name, value)}`;
    });
  }

  /** "Name: value" */
  line(line: string, where = ""): string {
    const colon = line.indexOf(":");
    const [name, value] = [line.slice(0, colon), line.slice(colon + 1).trim()];
    const shown = this.#text(`a header${where}`, name, value);
    return `${name}: ${shown === value ? this.target(value, where) : shown}`;
  }

  /** Scrubs JSON or a form; returns the same text if nothing is removed. */
  body(body: string, where = ""): string {
    const value = (name: string, text: string) => this.#text(`in the body${where}`, name, text);
    const before = this.taken.length;
    try {
      const visit = (name: string, member: unknown) =>
        typeof member === "string" || typeof member === "number"
          ? backFrom(member, value(name, String(member)))
          : member;
      const text = JSON.stringify(JSON.parse(body, visit));
      return this.taken.length === before ? body : text;
    } catch {
      if (!FORM.test(body)) return body;
      return this.target(`?${body}`, where).slice(1);
    }
  }

  request(request: RequestSpec): RequestSpec {
    const { headers, target, body } = request;
    return {
      ...request,
      ...(target !== undefined && { target: this.target(target) }),
      ...(headers !== undefined && { headers: headers.map((line) => this.line(line)) }),
      ...(typeof body === "string" && { body: this.body(body) }),
    };
  }
}

const backFrom = (member: string | number, text: string) => (text === PLACEHOLDER ? text : member);

/** Replaces variables of a request by their values, which it also returns. */
export function resolvedRequest(request: RequestSpec): { request: RequestSpec; values: string[] } {
  const values: string[] = [];
  const text = (written: string) => {
    values.push(...environmentReferences(written).flatMap(({ name }) => process.env[name] ?? []));
    return substituteEnvironment(written, process.env, () => {});
  };
  const { headers, target, host, body } = request;
  const resolved = {
    ...request,
    ...(headers !== undefined && { headers: headers.map(text) }),
    ...(target !== undefined && { target: text(target) }),
    ...(host !== undefined && { host: text(host) }),
    ...(typeof body === "string" && { body: text(body) }),
  };
  return { request: resolved, values };
}
