import type { BuiltResource } from "../../runtime/abi/build-files.js";
import type { Diagnostic } from "./diagnostic.js";
import type { Kind } from "./resource.js";
import type { SourceText } from "./source.js";

export interface StoredResource {
  kind: Kind;
  id: string;
  /** Null if it was deleted by force while others still named it. Those respond with 503 until it is back. */
  value: unknown;
}

/** Values of environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface CompileInput {
  sources: readonly SourceText[];
  /** Diagnostics of reading the files, such as of an unreadable one, which is missing in the sources. */
  faults?: readonly Diagnostic[];
  stored?: readonly StoredResource[];
  /** Rules for the configuration (`schema/policy.json`). */
  policy?: SourceText | undefined;
  /** Resources of the running build, in place of sources. Compiled only if stored ones change their behaviour. */
  built?: readonly BuiltResource[];
  environment: Environment;
  /** Epoch seconds, for expiry dates; without it nothing has expired. */
  now?: number;
  /** False drops advice. */
  advice?: boolean;
  /** HMAC key that identifies literal secrets (`SecretKeeper`). Default: their config path does. */
  secretKey?: string;
}

/** Change of a write; several are one transaction. */
export type Change =
  | {
      put: {
        kind: Kind;
        id: string;
        /** JSON to store. */
        text: string;
        /** Body as sent, if it differs. It is parsed first, so that every method rejects a repeated key. */
        sent?: string | undefined;
        /** HTTP method, for locations. Default: "PUT". */
        method?: "PUT" | "POST" | "PATCH";
      };
    }
  | { remove: { kind: Kind; id: string /** Deletes it even if others still name it. */; force?: boolean } };
