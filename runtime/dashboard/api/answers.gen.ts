// Generated from the OpenAPI document of the admin API by `npm run types`. Change its operations, not this file.

/**
 * The change that fixes it, if it is unambiguous.
 */
export type Fix =
  | {
      op: "rename";
      /**
       * Keys and indices of the diagnostic, from the root of the text.
       */
      path: (string | number)[];
      /**
       * Alternative name of the field.
       */
      to: string;
    }
  | {
      op: "replace" | "add";
      /**
       * Keys and indices of the diagnostic, from the root of the text.
       */
      path: (string | number)[];
      value: unknown;
    }
  | {
      op: "remove";
      /**
       * Keys and indices of the diagnostic, from the root of the text.
       */
      path: (string | number)[];
    };
export type Findings = Finding[];
/**
 * Path of a resource: "/gw/routes/1".
 */
export type Key = string;
/**
 * Null: the analysis of the draft's patterns exceeds the time limit.
 */
export type DraftedModules = {
  /**
   * "routes/orders": the first 100 with different modules.
   */
  list: string[];
  total: number;
  module: {
    address: string;
    before: string | null;
    after: string | null;
    cut: boolean;
  } | null;
} | null;

/**
 * Answers of operations of the admin API that succeed, by their names.
 */
export interface Answers {
  readSession: {
    /**
     * Name of the key; null: no key is required.
     */
    name: string | null;
    role: "admin" | "viewer";
    version: string;
    generation: number;
    /**
     * Reason why all writes are rejected.
     */
    read_only: string | null;
  };
  readPluginSchema: {
    [k: string]: unknown;
  };
  validateResource: Warned;
  readSchema: {
    [k: string]: unknown;
  };
  listPlugins: string[];
  readPlugin: {
    [k: string]: unknown;
  };
  readPluginReadme: {
    /**
     * Markdown; null: none.
     */
    readme: string | null;
  };
  readPlugins: {
    [k: string]: {
      priority: number;
      /**
       * Cost of a request: it may wait for another machine (waits), a record is stored and sent after its response (records), or only CPU time (inline).
       */
      cost: "waits" | "records" | "inline";
      schema: {
        [k: string]: unknown;
      };
      /**
       * Schema of its settings in consumers, if different.
       */
      consumer_schema?: {
        [k: string]: unknown;
      };
      metadata_schema?: {
        [k: string]: unknown;
      };
    };
  };
  adoptResource: {
    key: Key;
    /**
     * Place in the file; absent in a dry run.
     */
    static?: string;
    warnings?: Findings;
  };
  askWhichRoute: {
    generation: number;
    request: {
      method: string;
      host: string;
      url: string;
      target: string;
      remote_addr: string;
    };
    refused: {
      status: number;
      reason: string;
    } | null;
    /**
     * Id of the matched route.
     */
    matched: string | null;
    candidates: {
      id: string;
      name: string | null;
      address: string;
      /**
       * "shop.yaml:31:9", or "store".
       */
      place: string;
      matches: boolean;
      /**
       * Reason why it does not match.
       */
      reason: {
        kind: string;
        text: string;
      } | null;
      /**
       * Conditions of its `vars` that are not met, and the values of their variables.
       */
      failed: {
        address: string;
        /**
         * "shop.yaml:31:9", or "store".
         */
        place: string;
        wanted: string;
        values: [string, string][];
      }[];
    }[];
    /**
     * Number of routes that are omitted from the candidates.
     */
    more: number;
    route: {
      id: string;
      address: string;
      /**
       * "shop.yaml:31:9", or "store".
       */
      place: string;
      takes: string[];
      decisions: string[];
      phases: {
        when: string;
        sentences: string[];
      }[];
    } | null;
    plugins: {
      name: string;
      from: "route" | "service" | "plugin_config" | "consumer" | "global";
      address: string;
      /**
       * "shop.yaml:31:9", or "store".
       */
      place: string;
      phases: ("rewrite" | "access" | "headerFilter" | "acknowledge" | "log")[];
      disabled: boolean;
      decisions: string[];
      /**
       * The same plugin in sources of lower precedence, whose settings are ignored.
       */
      hides: string[];
    }[];
    upstream: {
      key: string;
      type: string;
      scheme: string;
      nodes: {
        host: string;
        port: number;
        weight: number;
        priority: number;
      }[];
    } | null;
    /**
     * True: the request was sent to real nodes of the upstream.
     */
    live: boolean;
    asked: {
      node: string;
      status: number | null;
      /**
       * Reason why it sent no response.
       */
      error: string | null;
      ms: number;
    }[];
    upstream_request: {
      method: string;
      target: string;
      headers: [string, string][];
      body: string;
    } | null;
    response: {
      status: number;
      headers: [string, string][];
      body: string;
    } | null;
    logs: {
      plugin: string;
      key: string | null;
      record: unknown;
    }[];
    faults: string[];
  };
  askWhichRouteLive: {
    generation: number;
    request: {
      method: string;
      host: string;
      url: string;
      target: string;
      remote_addr: string;
    };
    refused: {
      status: number;
      reason: string;
    } | null;
    /**
     * Id of the matched route.
     */
    matched: string | null;
    candidates: {
      id: string;
      name: string | null;
      address: string;
      /**
       * "shop.yaml:31:9", or "store".
       */
      place: string;
      matches: boolean;
      /**
       * Reason why it does not match.
       */
      reason: {
        kind: string;
        text: string;
      } | null;
      /**
       * Conditions of its `vars` that are not met, and the values of their variables.
       */
      failed: {
        address: string;
        /**
         * "shop.yaml:31:9", or "store".
         */
        place: string;
        wanted: string;
        values: [string, string][];
      }[];
    }[];
    /**
     * Number of routes that are omitted from the candidates.
     */
    more: number;
    route: {
      id: string;
      address: string;
      /**
       * "shop.yaml:31:9", or "store".
       */
      place: string;
      takes: string[];
      decisions: string[];
      phases: {
        when: string;
        sentences: string[];
      }[];
    } | null;
    plugins: {
      name: string;
      from: "route" | "service" | "plugin_config" | "consumer" | "global";
      address: string;
      /**
       * "shop.yaml:31:9", or "store".
       */
      place: string;
      phases: ("rewrite" | "access" | "headerFilter" | "acknowledge" | "log")[];
      disabled: boolean;
      decisions: string[];
      /**
       * The same plugin in sources of lower precedence, whose settings are ignored.
       */
      hides: string[];
    }[];
    upstream: {
      key: string;
      type: string;
      scheme: string;
      nodes: {
        host: string;
        port: number;
        weight: number;
        priority: number;
      }[];
    } | null;
    /**
     * True: the request was sent to real nodes of the upstream.
     */
    live: boolean;
    asked: {
      node: string;
      status: number | null;
      /**
       * Reason why it sent no response.
       */
      error: string | null;
      ms: number;
    }[];
    upstream_request: {
      method: string;
      target: string;
      headers: [string, string][];
      body: string;
    } | null;
    response: {
      status: number;
      headers: [string, string][];
      body: string;
    } | null;
    logs: {
      plugin: string;
      key: string | null;
      record: unknown;
    }[];
    faults: string[];
  };
  listChanges: {
    list: Change[];
    /**
     * True: older changes exist; list them with before= the last number.
     */
    more: boolean;
    kept: {
      entries: number;
      bytes: number;
    };
  };
  readChange:
    | (Change & {
        /**
         * The resource, secrets masked; null: none.
         */
        before: {
          [k: string]: unknown;
        } | null;
        /**
         * The resource, secrets masked; null: none.
         */
        after: {
          [k: string]: unknown;
        } | null;
        /**
         * True: no later change.
         */
        current: boolean;
        /**
         * Current version, as a read of the resource returns it.
         */
        now: {
          [k: string]: unknown;
        } | null;
        /**
         * Result of the revert: later changes of other fields stay.
         */
        taken_back: {
          [k: string]: unknown;
        } | null;
        /**
         * Fields that a later change has set to other values; secrets masked.
         */
        conflicts: {
          /**
           * Path of the field, "plugins.syslog.port"; "": the whole resource.
           */
          field: string;
          /**
           * Value before the change; null: none.
           */
          before: unknown;
          /**
           * Value after the change; null: none.
           */
          after: unknown;
          /**
           * Value now; null: none.
           */
          now: unknown;
        }[];
      })
    | {
        key: Key;
        /**
         * The resource, secrets masked; null: none.
         */
        value: {
          [k: string]: unknown;
        } | null;
        createdIndex: number;
        modifiedIndex: number;
      };
  revertChange: {
    key: Key;
    value?: {
      [k: string]: unknown;
    };
    deleted?: "1";
    warnings?: Findings;
  };
  exportConfiguration: {
    /**
     * Configuration file as JSON, as `gwc check` accepts it.
     */
    configuration: {
      [k: string]: {
        [k: string]: unknown;
      }[];
    };
    variables: {
      name: string;
      resource: string;
      path: (string | number)[];
    }[];
    /**
     * Resources with generated secrets, of which the gateway stores only a digest.
     */
    left_out: string[];
  };
  readOverview: {
    at: string;
    seconds: number;
    counted_seconds: number;
    ring_bytes: number;
    now: {
      generation: number;
      workers: {
        worker: number;
        pid: number;
        generation: number;
        connections: number;
        requests: number;
        /**
         * Resident memory; null: not reported yet.
         */
        memory_bytes: number | null;
        /**
         * 99th percentile of the delays of its event loop.
         */
        loop_lag_ms: number | null;
      }[];
      workers_expected: number;
      ready: boolean;
      reasons: {
        code: string;
        message: string;
        [k: string]: unknown;
      }[];
      /**
       * Impairments while requests are served.
       */
      warnings: {
        code: string;
        message: string;
        [k: string]: unknown;
      }[];
      /**
       * Reason why writes are rejected.
       */
      read_only: string | null;
      services: {
        [k: string]: {
          [k: string]: unknown;
        };
      };
      last_reload: {
        [k: string]: unknown;
      } | null;
      quarantined_routes: {
        route: string;
        stalls: number;
        remaining_ms: number;
      }[];
      store: {
        bytes: number;
        history: {
          entries: number;
          bytes: number;
        };
      };
      spool: {
        bytes: number;
        oldest_seconds: number;
        max_bytes: number | null;
      };
      logs: {
        pending_entries: number;
        pending_bytes: number;
        dropped_entries: number;
        dropped_lately: number;
      };
      nodes_out: {
        upstream: string;
        node: string;
        workers: number;
      }[];
      nodes_failing: {
        upstream: string;
        node: string;
        error: string;
        at: string;
      }[];
      certificates: {
        ssl: string;
        expires: string;
        days: number;
      }[];
      /**
       * Diagnostics of the running configuration; null: not known yet.
       */
      findings: {
        errors: number;
        warnings: number;
        notes: number;
        first: {
          code: string;
          severity: "error" | "warning" | "note";
          message: string;
          place: string | null;
        }[];
      } | null;
    };
    /**
     * False: the requested resource has no history.
     */
    kept: boolean;
    attention: {
      severity: "error" | "warning";
      kind: string;
      text: string;
      action: string;
      subject: string | null;
      values: {
        [k: string]: unknown;
      };
      /**
       * Number of problems of this kind; the first ten are listed.
       */
      of: number;
    }[];
    /**
     * Requests of the whole gateway without a matching route (404).
     */
    unrouted: {
      requests: number;
      before: number | null;
    };
    total: {
      requests: number;
      errors_4xx: number;
      errors_5xx: number;
      bytes_in: number;
      bytes_out: number;
      p50: number | null;
      p95: number | null;
      p99: number | null;
      /**
       * Figures of the previous time span; null: unknown.
       */
      before: {
        requests: number;
        errors_4xx: number;
        errors_5xx: number;
        bytes_in: number;
        bytes_out: number;
        p50: number | null;
        p95: number | null;
        p99: number | null;
      } | null;
      /**
       * Points of equal length, oldest first.
       */
      series: {
        /**
         * Time of the first point, in seconds since 1970.
         */
        from: number;
        /**
         * Duration of a point in seconds.
         */
        step: number;
        requests: number[];
        errors_4xx: number[];
        errors_5xx: number[];
        bytes_in: number[];
        bytes_out: number[];
        p50: (number | null)[];
        p95: (number | null)[];
        p99: (number | null)[];
      };
    };
    routes: {
      id: string;
      requests: number;
      errors_4xx: number;
      errors_5xx: number;
      bytes_in: number;
      bytes_out: number;
      p50: number | null;
      p95: number | null;
      p99: number | null;
      /**
       * Figures of the previous time span; null: unknown.
       */
      before: {
        requests: number;
        errors_4xx: number;
        errors_5xx: number;
        bytes_in: number;
        bytes_out: number;
        p50: number | null;
        p95: number | null;
        p99: number | null;
      } | null;
      /**
       * Points of equal length, oldest first.
       */
      series: {
        /**
         * Time of the first point, in seconds since 1970.
         */
        from: number;
        /**
         * Duration of a point in seconds.
         */
        step: number;
        requests: number[];
        errors_4xx: number[];
        errors_5xx: number[];
        bytes_in: number[];
        bytes_out: number[];
        p50: (number | null)[];
        p95: (number | null)[];
        p99: (number | null)[];
      };
    }[];
    upstreams: {
      id: string;
      requests: number;
      errors_4xx: number;
      errors_5xx: number;
      bytes_in: number;
      bytes_out: number;
      p50: number | null;
      p95: number | null;
      p99: number | null;
      /**
       * Figures of the previous time span; null: unknown.
       */
      before: {
        requests: number;
        errors_4xx: number;
        errors_5xx: number;
        bytes_in: number;
        bytes_out: number;
        p50: number | null;
        p95: number | null;
        p99: number | null;
      } | null;
      /**
       * Points of equal length, oldest first.
       */
      series: {
        /**
         * Time of the first point, in seconds since 1970.
         */
        from: number;
        /**
         * Duration of a point in seconds.
         */
        step: number;
        requests: number[];
        errors_4xx: number[];
        errors_5xx: number[];
        bytes_in: number[];
        bytes_out: number[];
        p50: (number | null)[];
        p95: (number | null)[];
        p99: (number | null)[];
      };
    }[];
  };
  readModule: {
    generation: number;
    key: Key;
    plan: unknown;
    module: {
      file: string;
      code: string;
      lines: {
        /**
         * From 1.
         */
        from: number;
        to: number;
        address: string;
        /**
         * "shop.yaml:31:9", or "store".
         */
        place: string;
      }[];
    } | null;
    places: {
      address: string;
      /**
       * "shop.yaml:31:9", or "store".
       */
      place: string;
    }[];
    configuration: {
      address: string;
      /**
       * "shop.yaml:31:9", or "store".
       */
      place: string;
      value: {
        [k: string]: unknown;
      };
    }[];
    /**
     * Number of omitted resources.
     */
    more: number;
    /**
     * Effect on a request; null if the resource is not a route.
     */
    route: {
      id: string;
      address: string;
      /**
       * "shop.yaml:31:9", or "store".
       */
      place: string;
      takes: string[];
      decisions: string[];
      phases: {
        when: string;
        sentences: string[];
      }[];
    } | null;
    /**
     * Merged plugins of a route, in the order in which they start.
     */
    plugins: {
      name: string;
      from: "route" | "service" | "plugin_config" | "consumer" | "global";
      address: string;
      /**
       * "shop.yaml:31:9", or "store".
       */
      place: string;
      phases: ("rewrite" | "access" | "headerFilter" | "acknowledge" | "log")[];
      disabled: boolean;
      decisions: string[];
      /**
       * The same plugin in sources of lower precedence, whose settings are ignored.
       */
      hides: string[];
    }[];
  };
  listCertificates: {
    certificates: {
      id: string;
      expires: string;
      days: number;
    }[];
  };
  readCertificate: {
    id: string;
    in_use: boolean;
    chains: {
      subject: string;
      issuer: string;
      names: string[];
      not_before: string;
      not_after: string;
      /**
       * Whole days until the certificate expires; negative: it has expired.
       */
      days: number;
      /**
       * SHA-256.
       */
      fingerprint: string;
      self_signed: boolean;
      /**
       * Null for the last one of the chain.
       */
      issued_by_next: boolean | null;
    }[][];
  };
  readLogs: {
    at: string;
    spool: {
      directory: string;
      max_bytes: number;
    } | null;
    destinations: {
      /**
       * Hash of kind and settings; name of the spool folder.
       */
      id: string;
      /**
       * Name of the plugin.
       */
      kind: string;
      /**
       * Address of the destination, without credentials.
       */
      address: string;
      delivery: "memory" | "durable";
      used_by: {
        kind: "routes" | "services" | "plugin_configs" | "global_rules";
        id: string;
        /**
         * Number of routes that log to the destination because of it; 0 for a global rule.
         */
        routes: number;
      }[];
      /**
       * Number of further users.
       */
      used_by_more: number;
      waiting: {
        entries: number;
        bytes: number;
        oldest_seconds: number | null;
      };
      /**
       * Maximum size of its spool in bytes; null without one.
       */
      max_bytes: number | null;
      /**
       * In memory: since the start of its workers; in a spool: since the start of the gateway.
       */
      sent: number;
      dropped: number;
      /**
       * The last failed delivery attempt; over: a later one succeeded.
       */
      failure: {
        message: string;
        at: string;
        over: boolean;
      } | null;
    }[];
  };
  purgeLogs: {
    destination: string;
    entries: number;
  };
  readNodes: {
    workers: number;
    /**
     * With out: keys of all upstreams with requests since the start; null: too many to list.
     */
    used: string[] | null;
    upstreams: {
      kind: "routes" | "services" | "upstreams";
      id: string;
      nodes: {
        host: string;
        port: number;
        weight: number;
        priority: number;
        state: "healthy" | "untried" | "failing" | "slow_start" | "half_open" | "partly_ejected" | "ejected";
        workers: {
          healthy: number;
          failing: number;
          ejected: number;
          half_open: number;
          slow_start: number;
        };
        /**
         * Busy connections to the node, of all upstreams.
         */
        in_flight: number;
        /**
         * Requests of the upstream since the start of the gateway, and the sum of their durations. They are counted by host, together for that many nodes.
         */
        latency: {
          requests: number;
          milliseconds: number;
          nodes: number;
        };
        failures: {
          connect: number;
          timeout: number;
          status: number;
        };
        ejections: number;
        /**
         * Reason of the last failed attempt ("ECONNREFUSED", "timeout", "status_503"), and its time.
         */
        last_failure: {
          error: string;
          at: string;
        } | null;
      }[];
    }[];
  };
  tryRegex: {
    /**
     * True: a write with this filter would be accepted.
     */
    accepted: boolean;
    /**
     * Diagnostics of the compiler; a place is a column of "pattern", "options" or "replace".
     */
    findings: Finding[];
    translation: {
      source: string;
      flags: string;
      groups: number;
    } | null;
    engine: "backtracking" | "linear" | "re2" | null;
    linear: {
      source: string;
      above_bytes: number;
    } | null;
    cost: {
      class: "linear" | "bounded" | "slow" | "refused";
      ms: number | null;
      text: string;
    } | null;
    body: {
      mode: "stream" | "hold";
      reason: string;
      at_once: number;
    } | null;
    result: {
      matches: {
        from: number;
        to: number;
        byte_from: number;
        byte_to: number;
        captures: (string | null)[];
      }[];
      more: number;
      replaced: string;
      replaced_bytes: number;
      utf8: boolean;
    } | null;
    /**
     * Reason why an accepted pattern has no result.
     */
    unfinished: string | null;
  };
  armTrace: {
    id: string;
    state: "armed" | "done" | "ended";
    armed_until: string;
    count: number;
    match: {
      method?: string;
      host?: string;
      uri?: string;
      route_id?: string;
      client?: string;
      unrouted?: boolean;
      header?: {
        [k: string]: string;
      };
    };
    caught: number;
    traces: {
      at: string;
      worker: number;
      generation: number;
      client: string;
      request: {
        method: string;
        target: string;
        host: string;
        protocol: string;
        headers: [string, string][];
      };
      route: {
        id: string;
        name: string | null;
        service: string | null;
        priority: number;
        hosts: string[];
        uris: string[];
        methods: string[];
      } | null;
      phases: {
        phase: "rewrite" | "access" | "headerFilter" | "acknowledge" | "log";
        owner: string;
        at_us: number;
        us: number;
        steps: {
          plugin: string | null;
          address: string;
          /**
           * Place in the configuration: "shop.yaml:31:9", or "store".
           */
          place: string;
          /**
           * Microseconds, without the time of tracing.
           */
          us: number;
          /**
           * Condition of the step; null: always.
           */
          condition: string | null;
          changes: {
            of: "request" | "response";
            what: "method" | "target" | "host" | "header" | "consumer" | "status" | "body" | "answer";
            /**
             * Name of the header, if it is one.
             */
            name?: string;
            /**
             * Null: absent before.
             */
            before: string | null;
            /**
             * Null: removed.
             */
            after: string | null;
          }[];
        }[];
      }[];
      attempts: {
        upstream: string;
        node: string;
        status: number | null;
        reused: boolean;
        /**
         * Reason why the node sent no response; status is then that of the local reply.
         */
        error: string | null;
        connect_ms: number | null;
        head_ms: number | null;
        ms: number;
        body_bytes: number;
      }[];
      upstream_request: {
        method: string;
        target: string;
        host: string;
        headers: [string, string][];
      } | null;
      upstream_response: {
        status: number;
        headers: [string, string][];
      } | null;
      response: {
        status: number;
        own: boolean;
        headers: [string, string][];
      };
      request_bytes: number;
      response_bytes: number;
      response_body_bytes: number;
      ms: number;
      cut: boolean;
    }[];
  };
  listTraces: {
    id: string;
    state: "armed" | "done" | "ended";
    armed_until: string;
    count: number;
    match: {
      method?: string;
      host?: string;
      uri?: string;
      route_id?: string;
      client?: string;
      unrouted?: boolean;
      header?: {
        [k: string]: string;
      };
    };
    caught: number;
  }[];
  readTrace: {
    id: string;
    state: "armed" | "done" | "ended";
    armed_until: string;
    count: number;
    match: {
      method?: string;
      host?: string;
      uri?: string;
      route_id?: string;
      client?: string;
      unrouted?: boolean;
      header?: {
        [k: string]: string;
      };
    };
    caught: number;
    traces: {
      at: string;
      worker: number;
      generation: number;
      client: string;
      request: {
        method: string;
        target: string;
        host: string;
        protocol: string;
        headers: [string, string][];
      };
      route: {
        id: string;
        name: string | null;
        service: string | null;
        priority: number;
        hosts: string[];
        uris: string[];
        methods: string[];
      } | null;
      phases: {
        phase: "rewrite" | "access" | "headerFilter" | "acknowledge" | "log";
        owner: string;
        at_us: number;
        us: number;
        steps: {
          plugin: string | null;
          address: string;
          /**
           * Place in the configuration: "shop.yaml:31:9", or "store".
           */
          place: string;
          /**
           * Microseconds, without the time of tracing.
           */
          us: number;
          /**
           * Condition of the step; null: always.
           */
          condition: string | null;
          changes: {
            of: "request" | "response";
            what: "method" | "target" | "host" | "header" | "consumer" | "status" | "body" | "answer";
            /**
             * Name of the header, if it is one.
             */
            name?: string;
            /**
             * Null: absent before.
             */
            before: string | null;
            /**
             * Null: removed.
             */
            after: string | null;
          }[];
        }[];
      }[];
      attempts: {
        upstream: string;
        node: string;
        status: number | null;
        reused: boolean;
        /**
         * Reason why the node sent no response; status is then that of the local reply.
         */
        error: string | null;
        connect_ms: number | null;
        head_ms: number | null;
        ms: number;
        body_bytes: number;
      }[];
      upstream_request: {
        method: string;
        target: string;
        host: string;
        headers: [string, string][];
      } | null;
      upstream_response: {
        status: number;
        headers: [string, string][];
      } | null;
      response: {
        status: number;
        own: boolean;
        headers: [string, string][];
      };
      request_bytes: number;
      response_bytes: number;
      response_body_bytes: number;
      ms: number;
      cut: boolean;
    }[];
  };
  disarmTrace: {
    id: string;
    state: "armed" | "done" | "ended";
    armed_until: string;
    count: number;
    match: {
      method?: string;
      host?: string;
      uri?: string;
      route_id?: string;
      client?: string;
      unrouted?: boolean;
      header?: {
        [k: string]: string;
      };
    };
    caught: number;
    traces: {
      at: string;
      worker: number;
      generation: number;
      client: string;
      request: {
        method: string;
        target: string;
        host: string;
        protocol: string;
        headers: [string, string][];
      };
      route: {
        id: string;
        name: string | null;
        service: string | null;
        priority: number;
        hosts: string[];
        uris: string[];
        methods: string[];
      } | null;
      phases: {
        phase: "rewrite" | "access" | "headerFilter" | "acknowledge" | "log";
        owner: string;
        at_us: number;
        us: number;
        steps: {
          plugin: string | null;
          address: string;
          /**
           * Place in the configuration: "shop.yaml:31:9", or "store".
           */
          place: string;
          /**
           * Microseconds, without the time of tracing.
           */
          us: number;
          /**
           * Condition of the step; null: always.
           */
          condition: string | null;
          changes: {
            of: "request" | "response";
            what: "method" | "target" | "host" | "header" | "consumer" | "status" | "body" | "answer";
            /**
             * Name of the header, if it is one.
             */
            name?: string;
            /**
             * Null: absent before.
             */
            before: string | null;
            /**
             * Null: removed.
             */
            after: string | null;
          }[];
        }[];
      }[];
      attempts: {
        upstream: string;
        node: string;
        status: number | null;
        reused: boolean;
        /**
         * Reason why the node sent no response; status is then that of the local reply.
         */
        error: string | null;
        connect_ms: number | null;
        head_ms: number | null;
        ms: number;
        body_bytes: number;
      }[];
      upstream_request: {
        method: string;
        target: string;
        host: string;
        headers: [string, string][];
      } | null;
      upstream_response: {
        status: number;
        headers: [string, string][];
      } | null;
      response: {
        status: number;
        own: boolean;
        headers: [string, string][];
      };
      request_bytes: number;
      response_bytes: number;
      response_body_bytes: number;
      ms: number;
      cut: boolean;
    }[];
  };
  readCaptchaStatistics: {
    /**
     * Start of the counts (RFC 3339).
     */
    since: string;
    url?: string;
    /**
     * Counts since the start of the captcha process.
     */
    total: {
      issued: number;
      solved: number;
      challenged: number;
      failed: number;
      refused: number;
      verified: number;
      /**
       * Failed verifications, by reason.
       */
      rejected: {
        [k: string]: number;
      };
      /**
       * Time from the tick to a token that required a task; null: no such token yet.
       */
      time_to_solve_ms: {
        median: number;
        p90: number;
      } | null;
    };
    site_keys: {
      /**
       * Counts since the start of the captcha process.
       */
      [k: string]: {
        issued: number;
        solved: number;
        challenged: number;
        failed: number;
        refused: number;
        verified: number;
        /**
         * Failed verifications, by reason.
         */
        rejected: {
          [k: string]: number;
        };
        /**
         * Time from the tick to a token that required a task; null: no such token yet.
         */
        time_to_solve_ms: {
          median: number;
          p90: number;
        } | null;
      };
    };
    /**
     * Site keys with a raised price because of an attack.
     */
    under_attack: {
      [k: string]: {
        level: number;
        /**
         * RFC 3339.
         */
        since: string;
      };
    };
    /**
     * Changed settings that take effect after a restart of the gateway.
     */
    restart_needed: string[];
  };
  readCaptchaDecision: {
    [k: string]: unknown;
  };
  tryCaptchaAccess: {
    works: boolean;
    reasons: (
      | "no_site_key"
      | "site_key_disabled"
      | "customer_disabled"
      | "variable_unset"
      | "malformed_api_key"
      | "unknown_api_key"
      | "api_key_disabled"
      | "api_key_expired"
      | "other_customer"
      | "captcha_away"
    )[];
  };
  rotateCaptchaSigningKey: {
    /**
     * Id of the key.
     */
    kid: string;
  };
  Findings: Findings;
  Effect: Effect;
  DraftedModules: DraftedModules;
}
export interface Warned {
  warnings: Findings;
}
export interface Finding {
  /**
   * `gwc explain CODE` explains it.
   */
  code: string;
  severity: "error" | "warning" | "note";
  message: string;
  span?: Span;
  notes: {
    message: string;
    span?: Span;
  }[];
  /**
   * How to fix it.
   */
  help?: string;
  fix?: Fix;
}
export interface Span {
  /**
   * Path of a configuration file, or "PUT /gw/admin/routes/1" for a body.
   */
  file: string;
  /**
   * Both from 1.
   */
  start: {
    line: number;
    column: number;
  };
  /**
   * Both from 1.
   */
  end: {
    line: number;
    column: number;
  };
}
export interface Change {
  /**
   * Number of a change: its modifiedIndex.
   */
  number: number;
  /**
   * ISO 8601.
   */
  time: string;
  /**
   * Name of the key; null: no key was required, or the gateway made the change, such as one of files.
   */
  key: string | null;
  /**
   * Address of the peer; null: the gateway itself.
   */
  address: string | null;
  /**
   * Note of the change.
   */
  note: string | null;
  method: "PUT" | "POST" | "PATCH" | "DELETE" | "EXPIRE" | "ADOPT" | "RELOAD";
  /**
   * Changed side: configuration files, or the store.
   */
  origin: "files" | "store";
  /**
   * Place of a resource of files, "gateway.yaml:10:5"; of a removed one, its last place.
   */
  place?: string;
  /**
   * All resources of files that the reload changed; kept: the number with an entry.
   */
  reload?: {
    made: number;
    changed: number;
    deleted: number;
    kept: number;
  };
  /**
   * As in paths: "routes".
   */
  kind: string;
  id: string;
  resource: Key;
  /**
   * Effect on the resource.
   */
  did: "made" | "changed" | "deleted";
  /**
   * Paths of the fields that differ.
   */
  changed: string[];
  /**
   * The change that this one reverts.
   */
  reverts?: number;
}
export interface Effect {
  routes: {
    /**
     * Number of routes that behave differently.
     */
    total: number;
    /**
     * True: the change affects the requests of every route.
     */
    all: boolean;
    /**
     * The first 100.
     */
    list: {
      id: string;
      name: string | null;
    }[];
    /**
     * Recompiled routes that were not compared.
     */
    left: number;
  };
  severity: "none" | "additive" | "changed" | null;
  changes: TrafficChange[];
  /**
   * Parts that the comparison does not cover.
   */
  notes: string[];
  /**
   * Reason why no changes are listed.
   */
  fault: string | null;
}
export interface TrafficChange {
  kind: "new" | "gone" | "renamed" | "precedence" | "matching" | "actions" | "shared";
  severity: "none" | "additive" | "changed";
  /**
   * Id of the route, or "global_rules/all".
   */
  subject: string;
  to: string | null;
  removed: string[];
  added: string[];
  note: string | null;
  /**
   * As in `gwc diff --format json`.
   */
  example: {
    request: string;
    headers: string[];
    before: {
      route: string | null;
      upstream: string | null;
      status: number;
    };
    after: {
      route: string | null;
      upstream: string | null;
      status: number;
    };
    differs: {
      name: string;
      before: string | null;
      after: string | null;
    }[];
  } | null;
  /**
   * Routes with the same change.
   */
  others: string[];
}
