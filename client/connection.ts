/** Where the server is, and the headers with the caller's credential, which are read before each request. */
export type Connection = {
  baseUrl: string;
  headers(): Promise<Record<string, string>> | Record<string, string>;
};

/** An `AssistantCloud`, whose address and credential are used. */
export type Cloud = {
  runs: {
    __internal_getAssistantOptions(assistantId: string): {
      api: string;
      headers(): Promise<Record<string, string>>;
    };
  };
};

/** The server refused a request. */
export class ParlanceError extends Error {
  override readonly name = "ParlanceError";
  readonly status: number;
  /** The error's code, as listed at `/docs`. */
  readonly code: string | undefined;

  constructor(status: number, body: { code?: string; message?: string }) {
    super(body.message ?? `The server answered with status ${status}.`);
    this.status = status;
    this.code = body.code;
  }
}

/** Sends a request with the credential. Throws `ParlanceError`, or the error of `fetch`. */
export type Send = (
  path: string,
  init: Omit<RequestInit, "headers"> & { headers: Record<string, string> },
) => Promise<Response>;

export function createSend(options: Connection | { cloud: Cloud }): Send {
  const connection = "cloud" in options ? connectionOf(options.cloud) : options;
  return async (path, init) => {
    const response = await fetch(`${connection.baseUrl.replace(/\/$/, "")}${path}`, {
      ...init,
      headers: { ...(await connection.headers()), ...init.headers },
    });
    if (response.ok) return response;
    throw new ParlanceError(response.status, (await response.json().catch(() => ({}))) as object);
  };
}

function connectionOf(cloud: Cloud): Connection {
  // The client has no public way to its address and credential. This one has not changed since version 0.1.
  const { api, headers } = cloud.runs.__internal_getAssistantOptions("default");
  return { baseUrl: api.slice(0, -"/v1/runs/stream".length), headers };
}

/** Waits between attempts to connect: longer after each, until `reset`. Returns at once when `signal` aborts. */
export function createRetryWait(signal: AbortSignal): { wait(): Promise<void>; reset(): void } {
  let waitMs = firstWaitMs;
  return {
    async wait() {
      if (signal.aborted) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, waitMs);
        signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
      });
      waitMs = Math.min(waitMs * 2, longestWaitMs);
    },
    reset() {
      waitMs = firstWaitMs;
    },
  };
}

const firstWaitMs = 500;
const longestWaitMs = 30_000;

/** Whether another attempt would be refused too. */
export function isRefused(error: unknown): boolean {
  return error instanceof ParlanceError && error.status < 500 && error.status !== 429;
}
