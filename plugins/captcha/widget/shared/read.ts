import { boolean, number, text } from "../../service/score/shape.js";

/** Only own properties are read, so that nothing inherited counts. */
type Check = (value: unknown) => boolean;
export type Shape = Readonly<Record<string, Check>>;
export type Shapes = Readonly<Record<string, Shape>>;

const word = text(/^[a-z_]{1,40}$/);
const pixels = number(40, 1_200);
export const RESIZE: Shape = { w: pixels, h: pixels };
export const CLOSE: Shape = { reason: word };
/** A token has at most 2048 characters and a lifetime of at most an hour. */
export const TOKEN: Shape = { token: text(/^[\w.-]{1,2048}$/), ttl_ms: number(1, 3_600_000) };

export const FAULT: Shape = { code: word, message: text(/^.{0,500}$/s), retryable: boolean };

export function read<T extends { type: string }>(shapes: Shapes, data: unknown): T | undefined {
  const type = own(data, "type");
  const shape = typeof type === "string" ? own(shapes, type) : undefined;
  const known = shape && fields(shape as Shape, data);
  // The shapes above have exactly the fields of the types.
  return known === undefined ? undefined : ({ ...known, type } as T);
}

/** Known fields, copied; undefined if one of them is invalid. */
export function fields(shape: Shape, data: unknown): Record<string, unknown> | undefined {
  const found: Record<string, unknown> = {};
  // Not `for in`: some pages add to every object.
  for (const name of Object.keys(shape)) {
    const value = own(data, name);
    if (!shape[name]?.(value)) return undefined;
    if (value !== undefined) found[name] = value;
  }
  return found;
}

const own = (data: unknown, name: string): unknown =>
  typeof data === "object" && data !== null && Object.hasOwn(data, name)
    ? Reflect.get(data, name)
    : undefined;
