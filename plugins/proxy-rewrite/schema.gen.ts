// Generated from schemas by `npm run types`. Change those, not this file.

export interface ProxyRewrite {
  uri?: string;
  method?:
    | "GET"
    | "POST"
    | "PUT"
    | "HEAD"
    | "DELETE"
    | "OPTIONS"
    | "MKCOL"
    | "COPY"
    | "MOVE"
    | "PROPFIND"
    | "LOCK"
    | "UNLOCK"
    | "PATCH"
    | "TRACE";
  regex_uri?: string[];
  host?: string;
  headers?:
    | RequestHeaderActions
    | {
        [k: string]: string | number;
      };
  use_real_request_uri_unsafe: boolean;
}
export interface RequestHeaderActions {
  add?: Values;
  remove?: string[];
  set?: Values;
}
export interface Values {
  [k: string]: string | number | (string | number)[];
}
