import type { BuiltResource } from "../../runtime/abi/build-files.js";
import type { Diagnostic } from "./diagnostic.js";
import type { Kind } from "./resource.js";
import type { SourceText } from "./source.js";

/** Resource of the store: its JSON value as written through the admin API. */
export interface StoredResource {
  kind: Kind;
  id: string;
  /** Null if it was deleted by force while others still named it. Those respond with 503 until it is back. */
  value: unknown;
}

export interface CompileInput {
  sources: readonly SourceText[];
  /**
   * Diagnostics of reading the files, such as of an unreadable one, whose content is missing in the sources.
   */
  faults?: readonly Diagnostic[];
  stored?: readonly StoredResource[];
  /** Policy that the configuration must satisfy (`schema/policy.json`). */
  policy?: SourceText | undefined;
  /**
   * Resources of the running build, in place of sources. They are compiled again only if stored resources
   * change their behaviour.
   */
  built?: readonly BuiltResource[];
  /** Values for `${{VAR}}` in the sources. */
  environment: Readonly<Record<string, string | undefined>>;
  /** Epoch seconds, for expiry dates; without it nothing has expired. */
  now?: number;
  /** False leaves out diagnostics that are advice. */
  advice?: boolean;
  /**
   * HMAC key by which literal secrets are identified (`SecretKeeper`). Without it their config path
   * identifies them.
   */
  secretKey?: string;
}

/** One change of a write; several are one transaction. */
export type Change =
  | {
      put: {
        kind: Kind;
        id: string;
        /** JSON to store. */
        text: string;
        /** Body as sent, if it differs. It is parsed first, so that every method rejects a repeated key. */
        sent?: string | undefined;
        /** HTTP method of the body, for the location in messages. Default: "PUT". */
        method?: "PUT" | "POST" | "PATCH";
      };
    }
  | { remove: { kind: Kind; id: string /** Deletes it even if others still name it. */; force?: boolean } };
