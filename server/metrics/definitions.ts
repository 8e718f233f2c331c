/** Upper bounds in seconds, from a cached answer to the slowest endpoint. */
const requestSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const writeSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const firstTokenSeconds = [0.1, 0.25, 0.5, 1, 2, 3, 5, 10, 20, 30, 60, 120];

type Definition = { type: "counter" | "gauge" | "histogram"; help: string; labels: readonly string[] };

/** Every metric of the server itself. `docs/metrics.md` is generated from this list. */
export const definitions = {
  parlance_build_info: {
    type: "gauge",
    help: "Always 1. The labels say what runs; `commit` is empty if it is not known.",
    labels: ["version", "commit"],
  },
  parlance_http_requests_total: {
    type: "counter",
    help: "Requests that have ended. `route` is the pattern of the path, or `other`. `status` is the class, such as `2xx`, or `aborted` if the client disconnected before the response.",
    labels: ["route", "method", "status"],
  },
  parlance_http_request_duration_seconds: {
    type: "histogram",
    help: "Time from the request to the end of the response. Streams are not included.",
    labels: ["route", "method"],
    buckets: requestSeconds,
  },
  parlance_http_errors_total: {
    type: "counter",
    help: "Error responses by their code, also inside streams.",
    labels: ["code"],
  },
  parlance_open_streams: { type: "gauge", help: "Streams that are open on this server.", labels: [] },
  parlance_runs_total: {
    type: "counter",
    help: "Runs that this server ended. `state` is `completed`, `cancelled`, `failed` or `interrupted`.",
    labels: ["state", "model"],
  },
  parlance_runs_in_progress: { type: "gauge", help: "Runs that this server executes now.", labels: [] },
  parlance_time_to_first_token_seconds: {
    type: "histogram",
    help: "Time from the start of a run to the first text or reasoning of the model.",
    labels: ["model"],
    buckets: firstTokenSeconds,
  },
  parlance_tokens_total: {
    type: "counter",
    help: "Tokens that models reported. `kind` is `input`, `output`, `reasoning` (part of the output) or `cached` (part of the input).",
    labels: ["kind", "model"],
  },
  parlance_estimated_tokens_total: {
    type: "counter",
    help: "Estimated tokens of requests of runs whose model did not report them, because it was stopped, broke off, or never does. `kind` is `input` or `output`.",
    labels: ["kind", "model"],
  },
  parlance_queued_messages: {
    type: "gauge",
    help: "Messages that wait in the queues of all threads. Every server of a database reports the same number.",
    labels: [],
  },
  parlance_database_write_seconds: {
    type: "histogram",
    help: "Time of a write transaction, from the call to the confirmed commit, with its wait for other transactions.",
    labels: [],
    buckets: writeSeconds,
  },
  parlance_database_size_bytes: {
    type: "gauge",
    help: "Size of the database, without attached files. Every server of a database reports the same number.",
    labels: [],
  },
  parlance_backup_last_success_timestamp_seconds: {
    type: "gauge",
    help: "When the last backup on a schedule was complete, in seconds since 1970. 0: none was. Every server of a database reports the same number.",
    labels: [],
  },
  parlance_backup_last_failure_timestamp_seconds: {
    type: "gauge",
    help: "When the last backup on a schedule failed, in seconds since 1970. 0: none did. Every server of a database reports the same number.",
    labels: [],
  },
} as const satisfies Record<string, Definition & { buckets?: readonly number[] }>;

/** Models that have time series of their own. */
export const modelsMax = 50;
