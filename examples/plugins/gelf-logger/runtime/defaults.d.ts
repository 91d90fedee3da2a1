export declare const DEFAULTS: {
  readonly destination: { readonly port: 12201; readonly timeoutMs: 1000 };
  readonly batch: { readonly name: "gelf logger" };
};
