import type { FilterRule } from "../../compiler/4-plan/body-filters.js";
import type { MetadataPlan } from "../../compiler/model/plan.js";
import type { PredictedVerdict } from "../../plugins/captcha/oracle.js";
import type { RouterRow } from "../../runtime/abi/generation.js";
import type { Fields, Request } from "./message.js";

/** What a response phase asked to be done with the body, in order. */
type BodyWish = { kind: "replace"; body: string } | { kind: "filter"; rules: readonly FilterRule[] };

/** Bodies that a logger was told to keep. */
export interface CapturedBodies {
  request: boolean;
  response: boolean;
}

/** One question to the captcha service. */
export interface Verification {
  site_key: string;
  jwt: string;
  ip?: string;
}

/** A record as an object; its texts are byte strings. */
export interface Recorded {
  [field: string]: unknown;
}

/** What a logger ships: a record, or with `meta_format: origin` the text of the request. */
export interface LogRecord {
  plugin: string;
  key: string | undefined;
  record: Recorded | string;
}

/** One request on its way, as far as it has come. */
export interface State {
  readonly request: Request;
  /** As received, without hop-by-hop fields. */
  readonly received: Fields;
  /** In normal form. */
  readonly path: string;
  readonly query: string;
  readonly host: string;
  route: RouterRow | undefined;
  parameters: Record<string, string>;
  consumer: string | undefined;
  forwarded: {
    method: string;
    target: string;
    /** It is sent in the spelling that it has. */
    verbatim: boolean;
    host: string | undefined;
    headers: Fields;
    body: string;
    /** Lower-case names of the fields that a plugin gave a value. */
    written: Set<string>;
    /** Other spellings of fields that a plugin sets or removes go with them. */
    folds: boolean;
  };
  captures: readonly (string | undefined)[] | undefined;
  /** Names that plugins of any route or global rule take credentials from, in lower case. */
  credentials: { headers: readonly string[]; query: readonly string[] };
  /** Metadata of plugins. */
  metadata: readonly MetadataPlan[];
  /** By logger: "route:shop:<plugin>". */
  kept: Map<string, CapturedBodies>;
  /** The request's body as logs may have it. */
  loggedBody: string;
  /** What the captcha service says of tokens, and what it was asked. */
  readonly verdicts: Readonly<Record<string, PredictedVerdict>>;
  readonly verifications: Verification[];
  /** Bodies as the record under way shows them. */
  bodies: { request: string | undefined; response: string | undefined };
  logs: LogRecord[];
  /** Fields of the request as records show them: as they went upstream, but for the client's own Host. */
  loggedFields: Fields;
  /** Addresses of the attempted nodes. */
  upstreamAddress: string | undefined;
  /** A plugin's own answer. */
  answered: { status: number; body: string; contentType: string; headers?: Fields } | undefined;
  response:
    | {
        status: number;
        headers: Fields;
        /** Of the upstream as received; undefined when the gateway made the response. */
        upstreamHeaders: Fields | undefined;
        upstreamStatus: string | undefined;
        /** Content-Encoding of the body as it comes; undefined once a plugin replaced the body. */
        coding: string | undefined;
        /** The body as it comes, still coded. */
        body: string;
        wishes: BodyWish[];
        /** A filter has let the body through as it came. */
        oversize?: true;
        /** A body that a filter may not let through as it is. */
        refused: boolean;
      }
    | undefined;
}
