// Generated from schemas by `npm run types`. Change those, not this file.

export type Id = string | number;

export interface Captcha {
  captcha_url?: string;
  site_key: string;
  api_key: string;
  ca?: string;
  methods: ("GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS")[];
  token_from: ("form" | "multipart" | "json" | "header")[];
  field: string;
  json_pointer?: string;
  header: string;
  strip_field: boolean;
  max_body_bytes: number;
  max_multipart_bytes: number;
  send_ip: boolean;
  timeout: number;
  retries: number;
  policy: "fail-closed" | "fail-open";
  reject_status: number;
}
/**
 * This interface was referenced by `Captcha`'s JSON-Schema
 * via the `definition` "captcha-customer.json".
 */
export interface CaptchaCustomer {
  id?: Id;
  enabled: boolean;
  desc?: string;
  labels?: Labels;
  create_time?: number;
  update_time?: number;
}
export interface Labels {
  [k: string]: string;
}
/**
 * This interface was referenced by `Captcha`'s JSON-Schema
 * via the `definition` "captcha-site-key.json".
 */
export interface CaptchaSiteKey {
  id?: string;
  customer: Id;
  enabled: boolean;
  hostnames: string[];
  embed_hosts: string[];
  threshold: number;
  challenge_mode: "adaptive" | "always" | "never";
  task_types: ("shapes" | "rings" | "text" | "audio" | "patience")[];
  pow_bits: number;
  work: "adaptive" | "argon2id" | "sha256";
  ip_binding: "off" | "dual_stack" | "prefix" | "exact";
  token_ttl: number;
  expose_score: boolean;
  shadow: boolean;
  languages: ("ru" | "en")[];
  theme: "auto" | "light" | "dark";
  operator?: {
    name: string;
    link?: string;
  };
  desc?: string;
  labels?: Labels;
  create_time?: number;
  update_time?: number;
}
/**
 * This interface was referenced by `Captcha`'s JSON-Schema
 * via the `definition` "captcha-api-key.json".
 */
export interface CaptchaApiKey {
  id?: string;
  customer: Id;
  enabled: boolean;
  expires?: string | number;
  key?: string;
  digest?: string;
  desc?: string;
  labels?: Labels;
  create_time?: number;
  update_time?: number;
}
