export interface SharedModule {
  exports: unknown;
  compiledAs: string;
  /** Config path of the module, such as "routes/shop". */
  address: string;
  /** Source comments after their line numbers, with `WHOLE` for the config path; equal ones share one string. */
  notes: string;
}

/** Placeholder for the module's config path in `notes`. */
export const WHOLE = "\0";
