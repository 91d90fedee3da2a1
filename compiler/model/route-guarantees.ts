/**
 * Facts about every request of a route before anything of it runs. They include `vars`, which the router has
 * compared. Plugins do not invalidate them: they change what is sent, never what was received. An empty list
 * is no restriction.
 */
export interface RouteGuarantees {
  methods: readonly string[];
  /** Exact, or `*suffix`. */
  hosts: readonly string[];
  /** Patterns in the form of `patternForm`. */
  uris: readonly string[];
  /** The route has `vars` in addition. */
  vars?: true;
}
