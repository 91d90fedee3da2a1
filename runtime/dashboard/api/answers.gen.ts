// Generated from the OpenAPI document of the admin API by `npm run types`. Change its operations, not this file.

export type Key = string;
export type TimeRange = Figures & {
  before: Figures | null;
  series: Series;
};
export type Fix =
  | {
      op: "rename";
      path: (string | number)[];
      to: string;
    }
  | {
      op: "replace" | "add";
      path: (string | number)[];
      value: unknown;
    }
  | {
      op: "remove";
      path: (string | number)[];
    };
export type Traces = TraceSummary & {
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
        place: string;
        us: number;
        condition: string | null;
        changes: {
          of: "request" | "response";
          what: "method" | "target" | "host" | "header" | "consumer" | "status" | "body" | "answer";
          name?: string;
          before: string | null;
          after: string | null;
        }[];
      }[];
    }[];
    attempts: {
      upstream: string;
      node: string;
      status: number | null;
      reused: boolean;
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
export type DraftedModules = {
  list: string[];
  total: number;
  module: {
    address: string;
    before: string | null;
    after: string | null;
    cut: boolean;
  } | null;
} | null;

export interface Answers {
  readSession: {
    name: string | null;
    role: "admin" | "viewer";
    version: string;
    generation: number;
    read_only: string | null;
  };
  readPluginReadme: {
    readme: string | null;
  };
  readPlugins: {
    [k: string]: {
      priority: number;
      cost: "waits" | "records" | "inline";
      schema: Record<string, unknown>;
      consumer_schema?: Record<string, unknown>;
      metadata_schema?: Record<string, unknown>;
    };
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
    matched: string | null;
    candidates: {
      id: string;
      name: string | null;
      address: string;
      place: string;
      matches: boolean;
      reason: {
        kind: string;
        text: string;
      } | null;
      failed: {
        address: string;
        place: string;
        wanted: string;
        values: [string, string][];
      }[];
    }[];
    more: number;
    route: RouteInWords | null;
    plugins: ExecutedPlugin[];
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
    live: boolean;
    asked: {
      node: string;
      status: number | null;
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
    more: boolean;
    kept: {
      entries: number;
      bytes: number;
    };
  };
  readChange:
    | (Change & {
        before: Record<string, unknown> | null;
        after: Record<string, unknown> | null;
        current: boolean;
        now: Record<string, unknown> | null;
        taken_back: Record<string, unknown> | null;
        conflicts: {
          field: string;
          before: unknown;
          after: unknown;
          now: unknown;
        }[];
      })
    | {
        key: Key;
        value: Record<string, unknown> | null;
        createdIndex: number;
        modifiedIndex: number;
      };
  exportConfiguration: {
    configuration: {
      [k: string]: Record<string, unknown>[];
    };
    variables: {
      name: string;
      resource: string;
      path: (string | number)[];
    }[];
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
        memory_bytes: number | null;
        loop_lag_ms: number | null;
      }[];
      workers_expected: number;
      ready: boolean;
      reasons: Reason[];
      warnings: Reason[];
      read_only: string | null;
      services: {
        [k: string]: Record<string, unknown>;
      };
      last_reload: Record<string, unknown> | null;
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
    kept: boolean;
    attention: {
      severity: "error" | "warning";
      kind: string;
      text: string;
      action: string;
      subject: string | null;
      values: Record<string, unknown>;
      of: number;
    }[];
    unrouted: {
      requests: number;
      before: number | null;
    };
    total: TimeRange;
    routes: (TimeRange & {
      id: string;
    })[];
    upstreams: (TimeRange & {
      id: string;
    })[];
  };
  readModule: {
    generation: number;
    key: Key;
    plan: unknown;
    module: {
      file: string;
      code: string;
      lines: {
        from: number;
        to: number;
        address: string;
        place: string;
      }[];
    } | null;
    places: {
      address: string;
      place: string;
    }[];
    configuration: {
      address: string;
      place: string;
      value: Record<string, unknown>;
    }[];
    more: number;
    route: RouteInWords | null;
    plugins: ExecutedPlugin[];
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
      days: number;
      fingerprint: string;
      self_signed: boolean;
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
      id: string;
      kind: string;
      address: string;
      delivery: "memory" | "durable";
      used_by: {
        kind: "routes" | "services" | "plugin_configs" | "global_rules";
        id: string;
        routes: number;
      }[];
      used_by_more: number;
      waiting: {
        entries: number;
        bytes: number;
        oldest_seconds: number | null;
      };
      max_bytes: number | null;
      sent: number;
      dropped: number;
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
        in_flight: number;
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
        last_failure: {
          error: string;
          at: string;
        } | null;
      }[];
    }[];
  };
  tryRegex: {
    accepted: boolean;
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
    unfinished: string | null;
  };
  listTraces: TraceSummary[];
  readTrace: Traces;
  Effect: Effect;
  DraftedModules: DraftedModules;
}
export interface RouteInWords {
  id: string;
  address: string;
  place: string;
  takes: string[];
  decisions: string[];
  phases: {
    when: string;
    sentences: string[];
  }[];
}
export interface ExecutedPlugin {
  name: string;
  from: "route" | "service" | "plugin_config" | "consumer" | "global";
  address: string;
  place: string;
  phases: ("rewrite" | "access" | "headerFilter" | "acknowledge" | "log")[];
  disabled: boolean;
  decisions: string[];
  hides: string[];
}
export interface Change {
  number: number;
  time: string;
  key: string | null;
  address: string | null;
  note: string | null;
  method: "PUT" | "POST" | "PATCH" | "DELETE" | "EXPIRE" | "ADOPT" | "RELOAD";
  origin: "files" | "store";
  place?: string;
  reload?: {
    made: number;
    changed: number;
    deleted: number;
    kept: number;
  };
  kind: string;
  id: string;
  resource: Key;
  did: "made" | "changed" | "deleted";
  changed: string[];
  reverts?: number;
}
export interface Reason {
  code: string;
  message: string;
  [k: string]: unknown;
}
export interface Figures {
  requests: number;
  errors_4xx: number;
  errors_5xx: number;
  bytes_in: number;
  bytes_out: number;
  p50: number | null;
  p95: number | null;
  p99: number | null;
}
export interface Series {
  from: number;
  step: number;
  requests: number[];
  errors_4xx: number[];
  errors_5xx: number[];
  bytes_in: number[];
  bytes_out: number[];
  p50: (number | null)[];
  p95: (number | null)[];
  p99: (number | null)[];
}
export interface Finding {
  code: string;
  severity: "error" | "warning" | "note";
  message: string;
  span?: Span;
  notes: {
    message: string;
    span?: Span;
  }[];
  help?: string;
  fix?: Fix;
}
export interface Span {
  file: string;
  start: Position;
  end: Position;
}
export interface Position {
  line: number;
  column: number;
}
export interface TraceSummary {
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
}
export interface Effect {
  routes: {
    total: number;
    all: boolean;
    list: {
      id: string;
      name: string | null;
    }[];
    left: number;
  };
  severity: "none" | "additive" | "changed" | null;
  changes: TrafficChange[];
  notes: string[];
  fault: string | null;
}
export interface TrafficChange {
  kind: "new" | "gone" | "renamed" | "precedence" | "matching" | "actions" | "shared";
  severity: "none" | "additive" | "changed";
  subject: string;
  to: string | null;
  removed: string[];
  added: string[];
  note: string | null;
  example: {
    request: string;
    headers: string[];
    before: Outcome;
    after: Outcome;
    differs: {
      name: string;
      before: string | null;
      after: string | null;
    }[];
  } | null;
  others: string[];
}
export interface Outcome {
  route: string | null;
  upstream: string | null;
  status: number;
}
