// Generated from the OpenAPI document of the admin API by `npm run types`. Change its operations, not this file.

/**
 * The change that mends it, where only one is meant.
 */
export type Fix =
  | {
      op: "rename";
      /**
       * Keys and indices from the root of the text that the finding is of.
       */
      path: (string | number)[];
      /**
       * The field's other name.
       */
      to: string;
    }
  | {
      op: "replace" | "add";
      /**
       * Keys and indices from the root of the text that the finding is of.
       */
      path: (string | number)[];
      value: unknown;
    }
  | {
      op: "remove";
      /**
       * Keys and indices from the root of the text that the finding is of.
       */
      path: (string | number)[];
    };
export type Findings = Finding[];
/**
 * Path of a resource: "/gw/routes/1".
 */
export type Key = string;
/**
 * Null: patterns of the draft take long.
 */
export type DraftedModules = {
  /**
   * "routes/orders": the first 100 whose modules are others.
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
     * Name of the key; null where none is needed.
     */
    name: string | null;
    role: "admin" | "viewer";
    version: string;
    generation: number;
    /**
     * Why nothing may be changed, whoever asks.
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
     * Markdown; null: it has none.
     */
    readme: string | null;
  };
  readPlugins: {
    [k: string]: {
      priority: number;
      /**
       * Cost of a request: it may wait for another machine (waits), a record is kept and sent after its response (records), or work in its own time alone (inline).
       */
      cost: "waits" | "records" | "inline";
      schema: {
        [k: string]: unknown;
      };
      /**
       * Schema of what consumers hold for it, where that is not the same.
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
     * Place in the file; not in the answer to a dry run.
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
     * Id of the route that takes it.
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
       * Why it does not.
       */
      reason: {
        kind: string;
        text: string;
      } | null;
      /**
       * Parts of its `vars` that do not hold, and what stands in the variables that they look at.
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
     * Routes that are not among the candidates, because there are many.
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
       * The same plugin where it weighs less: what is set there does not count.
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
     * Real nodes of the upstream were asked.
     */
    live: boolean;
    asked: {
      node: string;
      status: number | null;
      /**
       * Why it answered nothing.
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
     * Id of the route that takes it.
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
       * Why it does not.
       */
      reason: {
        kind: string;
        text: string;
      } | null;
      /**
       * Parts of its `vars` that do not hold, and what stands in the variables that they look at.
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
     * Routes that are not among the candidates, because there are many.
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
       * The same plugin where it weighs less: what is set there does not count.
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
     * Real nodes of the upstream were asked.
     */
    live: boolean;
    asked: {
      node: string;
      status: number | null;
      /**
       * Why it answered nothing.
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
     * There are older ones, which before= the last number lists.
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
         * The resource, secrets masked; null where there is none.
         */
        before: {
          [k: string]: unknown;
        } | null;
        /**
         * The resource, secrets masked; null where there is none.
         */
        after: {
          [k: string]: unknown;
        } | null;
        /**
         * Nothing has changed since.
         */
        current: boolean;
        /**
         * Version now, as a read of the resource shows it.
         */
        now: {
          [k: string]: unknown;
        } | null;
        /**
         * Result of taking the change back: later changes of other fields stay.
         */
        taken_back: {
          [k: string]: unknown;
        } | null;
        /**
         * Fields that the change and a later one have changed, each in its own way; secrets masked.
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
         * The resource, secrets masked; null where there is none.
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
     * Configuration as a file of `gwc check` may hold it, as JSON.
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
     * Resources whose secrets the gateway has made and keeps only a digest of.
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
         * Resident; null: not told yet.
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
       * Why writes are not taken.
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
       * Findings of the running configuration; null: not known yet.
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
     * False: the one that was asked for has no past here.
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
       * How many of its kind there are; ten are told.
       */
      of: number;
    }[];
    /**
     * Requests of the whole gateway that no route took, answered with 404.
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
       * Figures of the stretch before; null where nobody knows.
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
         * Epoch second of the first point.
         */
        from: number;
        /**
         * Seconds of a point.
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
       * Figures of the stretch before; null where nobody knows.
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
         * Epoch second of the first point.
         */
        from: number;
        /**
         * Seconds of a point.
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
       * Figures of the stretch before; null where nobody knows.
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
         * Epoch second of the first point.
         */
        from: number;
        /**
         * Seconds of a point.
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
     * Resources that are left out.
     */
    more: number;
    /**
     * Effect on a request; null where it is no route.
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
     * Plugins of a route, after merging, in the order in which they begin to run.
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
       * The same plugin where it weighs less: what is set there does not count.
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
       * Whole days until it expires; below 0: it has.
       */
      days: number;
      /**
       * SHA-256.
       */
      fingerprint: string;
      self_signed: boolean;
      /**
       * Null: it is the last of its chain.
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
       * Hash of kind and settings; name of its folder among the spools.
       */
      id: string;
      /**
       * Name of the plugin.
       */
      kind: string;
      /**
       * Address that it delivers to; never a credential.
       */
      address: string;
      delivery: "memory" | "durable";
      used_by: {
        kind: "routes" | "services" | "plugin_configs" | "global_rules";
        id: string;
        /**
         * Routes that log there because of it; 0 of a global rule.
         */
        routes: number;
      }[];
      /**
       * How many more use it.
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
       * From memory: since its workers began; from a spool: since the gateway began.
       */
      sent: number;
      dropped: number;
      /**
       * The last try that failed; over: a later one has succeeded.
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
     * With out: keys of all upstreams that have had requests since the start; null where they are too many to tell.
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
         * Busy connections to it, of all upstreams.
         */
        in_flight: number;
        /**
         * Requests of the upstream since the gateway began, and the sum of their times. They are counted by host, for so many nodes together.
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
         * Reason of the last attempt at it that failed ("ECONNREFUSED", "timeout", "status_503"), and when.
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
     * A write with this filter would be taken.
     */
    accepted: boolean;
    /**
     * Findings of the compiler; a place is a column of "pattern", "options" or "replace".
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
     * Why a pattern that is accepted gave no result.
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
           * Microseconds, without what the trace takes.
           */
          us: number;
          /**
           * When it does something; null: always.
           */
          condition: string | null;
          changes: {
            of: "request" | "response";
            what: "method" | "target" | "host" | "header" | "consumer" | "status" | "body" | "answer";
            /**
             * Name of a header, where it is one.
             */
            name?: string;
            /**
             * Null: it was not there.
             */
            before: string | null;
            /**
             * Null: it is gone.
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
         * Why the node answered nothing; then status is the gateway's own.
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
           * Microseconds, without what the trace takes.
           */
          us: number;
          /**
           * When it does something; null: always.
           */
          condition: string | null;
          changes: {
            of: "request" | "response";
            what: "method" | "target" | "host" | "header" | "consumer" | "status" | "body" | "answer";
            /**
             * Name of a header, where it is one.
             */
            name?: string;
            /**
             * Null: it was not there.
             */
            before: string | null;
            /**
             * Null: it is gone.
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
         * Why the node answered nothing; then status is the gateway's own.
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
           * Microseconds, without what the trace takes.
           */
          us: number;
          /**
           * When it does something; null: always.
           */
          condition: string | null;
          changes: {
            of: "request" | "response";
            what: "method" | "target" | "host" | "header" | "consumer" | "status" | "body" | "answer";
            /**
             * Name of a header, where it is one.
             */
            name?: string;
            /**
             * Null: it was not there.
             */
            before: string | null;
            /**
             * Null: it is gone.
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
         * Why the node answered nothing; then status is the gateway's own.
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
     * When counting began (RFC 3339).
     */
    since: string;
    url?: string;
    /**
     * Counts since the captcha process was started.
     */
    total: {
      issued: number;
      solved: number;
      challenged: number;
      failed: number;
      refused: number;
      verified: number;
      /**
       * Verifications without success, by reason.
       */
      rejected: {
        [k: string]: number;
      };
      /**
       * From the tick to a token that took a task; null when there was none.
       */
      time_to_solve_ms: {
        median: number;
        p90: number;
      } | null;
    };
    site_keys: {
      /**
       * Counts since the captcha process was started.
       */
      [k: string]: {
        issued: number;
        solved: number;
        challenged: number;
        failed: number;
        refused: number;
        verified: number;
        /**
         * Verifications without success, by reason.
         */
        rejected: {
          [k: string]: number;
        };
        /**
         * From the tick to a token that took a task; null when there was none.
         */
        time_to_solve_ms: {
          median: number;
          p90: number;
        } | null;
      };
    };
    /**
     * Site keys whose price is raised for an attack.
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
     * Settings that were changed and take effect with a restart of the gateway.
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
   * `gwc explain CODE` says more of it.
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
   * How to mend it.
   */
  help?: string;
  fix?: Fix;
}
export interface Span {
  /**
   * Path of a file of a configuration, or "PUT /gw/admin/routes/1" for a body.
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
   * Number of a change: the modifiedIndex that it made.
   */
  number: number;
  /**
   * ISO 8601.
   */
  time: string;
  /**
   * Name of the key; null: none was needed, or the gateway did it itself, as with changes of files.
   */
  key: string | null;
  /**
   * Address of the peer; null: the gateway itself.
   */
  address: string | null;
  /**
   * Why, as said with the change.
   */
  note: string | null;
  method: "PUT" | "POST" | "PATCH" | "DELETE" | "EXPIRE" | "ADOPT" | "RELOAD";
  /**
   * Changed side: configuration files, or the store.
   */
  origin: "files" | "store";
  /**
   * Place of a resource of files, "gateway.yaml:10:5"; of one that is gone, where it stood.
   */
  place?: string;
  /**
   * Resources of files that the reload concerned in all; kept: those that have an entry.
   */
  reload?: {
    made: number;
    changed: number;
    deleted: number;
    kept: number;
  };
  /**
   * As paths have it: "routes".
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
   * The change that this one takes back.
   */
  reverts?: number;
}
export interface Effect {
  routes: {
    /**
     * How many behave differently.
     */
    total: number;
    /**
     * Requests of every route pass what has changed.
     */
    all: boolean;
    /**
     * The first 100 of them.
     */
    list: {
      id: string;
      name: string | null;
    }[];
    /**
     * Routes that are compiled anew, and were not compared.
     */
    left: number;
  };
  severity: "none" | "additive" | "changed" | null;
  changes: TrafficChange[];
  /**
   * Parts that the comparison leaves out.
   */
  notes: string[];
  /**
   * Why there are no changes to tell of.
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
   * Routes that change in the same way.
   */
  others: string[];
}
