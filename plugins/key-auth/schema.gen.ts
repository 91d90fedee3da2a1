// Generated from schemas by `npm run types`. Change those, not this file.

export interface KeyAuth {
  header: string;
  query: string;
  hide_credentials: boolean;
}
