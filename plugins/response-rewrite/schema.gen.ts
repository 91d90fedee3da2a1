// Generated from schemas by `npm run types`. Change those, not this file.

export type FlatValue = string | number;
export type Item =
  | string
  | number
  | boolean
  | null
  | Item[]
  | {
      [k: string]: unknown;
    };
export type Expression = Item[];

export interface ResponseRewrite {
  status_code?: number;
  body?: string;
  body_base64: boolean;
  headers?:
    | ResponseHeaderActions
    | {
        [k: string]: FlatValue;
      };
  vars?: Expression;
  filters?: BodyFilter[];
  max_resp_body_size: number;
  on_oversize: "refuse" | "pass";
}
export interface ResponseHeaderActions {
  add?: string[];
  remove?: string[];
  set?: {
    [k: string]: string | number;
  };
}
export interface BodyFilter {
  regex: string;
  scope: "once" | "global";
  replace: string;
  options: string;
  allow_slow: boolean;
}
