// Generated from schemas by `npm run types`. Change those, not this file.

export interface Redirect {
  http_to_https?: boolean;
  uri?: string;
  regex_uri?: string[];
  ret_code: number;
  append_query_string: boolean;
  encode_uri: boolean;
}
