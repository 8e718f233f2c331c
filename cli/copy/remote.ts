import type { Clock } from "#server/lib/clock.ts";
import { isJsonObject, parseJson } from "#contract/json.ts";
import { fetchOutside } from "#server/fetch/process-network.ts";
import { CommandError } from "../errors.ts";

/** A client for a server of the protocol, with an API key. */
export type Remote = {
  /**
   * Repeats the request until it gets an answer: waits as long as a 429 says, and backs off after server and network errors.
   * Throws `RefusedError` if a retry would not help, and `CommandError` if the whole copy must end: the key is refused, or
   * the server cannot be reached.
   */
  request(method: "GET" | "POST" | "PUT", path: string, request?: RemoteRequest): Promise<RemoteAnswer>;
};

export type RemoteRequest = {
  query?: Record<string, string | undefined>;
  body?: object;
  /** The workspace that the key acts in; absent for requests on the whole app. */
  workspace?: string | undefined;
};

export type RemoteAnswer = { status: number; body: unknown };

/** The server refused the request. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** 2 min: one message may have 8 MiB, on a slow connection. */
const timeoutMs = 120_000;
/** After this many failures in a row the copy gives up. */
const failuresMax = 6;
/** A 429 is not a failure, but after 100 in a row the rate limit is too low for a copy. */
const waitsMax = 100;

export function createRemote(options: {
  /** The server's name in messages: `the source`, `this server`. */
  name: string;
  baseUrl: string;
  key: string;
  /** The option that the key came from. */
  keyOption: string;
  user: string;
  clock: Clock;
  note: (text: string) => void;
}): Remote {
  const { name, baseUrl, clock, note } = options;

  async function send(method: string, path: string, request: RemoteRequest): Promise<Response> {
    const { workspace, body } = request;
    const query = Object.entries(request.query ?? {}).filter(
      (pair): pair is [string, string] => pair[1] !== undefined,
    );
    const url = `${baseUrl}${path}${query.length === 0 ? "" : `?${new URLSearchParams(query).toString()}`}`;
    return await fetchOutside(url, {
      method,
      headers: {
        Authorization: `Bearer ${options.key}`,
        "Content-Type": "application/json",
        "Aui-User-Id": options.user,
        ...(workspace === undefined ? {} : { "Aui-Workspace-Id": workspace }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMs),
    });
  }

  function read(status: number, text: string, place: string): RemoteAnswer {
    const body = parseJson(text);
    if (status < 300) {
      if (body === undefined && text.trim() !== "")
        throw new CommandError(
          `${name} ${baseUrl} answered ${place} with something that is not JSON. Is this the address of the chat service?`,
        );
      return { status, body };
    }
    const reason = errorMessageOf(body) ?? `status ${status}`;
    if (status === 401 || status === 403)
      throw new CommandError(`${options.keyOption}: ${name} ${baseUrl} refused the key: ${reason}`);
    throw new RefusedError(status, `${place}: ${reason}`);
  }

  return {
    async request(method, path, request = {}) {
      const place = `${method} ${path}`;
      let failures = 0;
      let waits = 0;
      for (;;) {
        let failure: string;
        try {
          const response = await send(method, path, request);
          const text = await response.text();
          if (response.status === 429) {
            if (++waits > waitsMax)
              throw new CommandError(
                `${name} ${baseUrl} limits this key too much. Run the copy again later.`,
              );
            const waitMs = retryAfterMs(response.headers.get("Retry-After"), clock.now()) ?? pauseMs(waits);
            note(`${name} asks us to wait ${Math.ceil(waitMs / 1000)} s.`);
            await clock.sleep(waitMs);
            continue;
          }
          if (response.status < 500) return read(response.status, text, place);
          failure = errorMessageOf(parseJson(text)) ?? `status ${response.status}`;
        } catch (error) {
          if (error instanceof RefusedError || error instanceof CommandError) throw error;
          failure = causeMessageOf(error);
        }
        if (++failures >= failuresMax)
          throw new CommandError(
            `${name} ${baseUrl} cannot be reached: ${failure} What was copied stays; run the copy again to continue.`,
          );
        await clock.sleep(pauseMs(failures));
      }
    },
  };
}

/** Parses the address of a service, with or without `/v1` at its end. Throws `CommandError`. */
export function serviceAddress(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new CommandError(`"${text}" is not an address. Use a form such as https://chat.example.org`);
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "").replace(/\/v1$/, "");
}

/** 1 s, then twice as long each time, up to 30 s. */
function pauseMs(times: number): number {
  return Math.min(1_000 * 2 ** (times - 1), 30_000);
}

/** Parses `Retry-After`, seconds or a date; at most an hour. */
function retryAfterMs(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined;
  const waitMs = /^\d+$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - nowMs;
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(waitMs, 0), 3_600_000);
}

function errorMessageOf(body: unknown): string | undefined {
  if (!isJsonObject(body)) return undefined;
  const message = typeof body.message === "string" ? body.message : body.error;
  return typeof message === "string" && message !== "" ? message : undefined;
}

function causeMessageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? error.cause.message : "";
  return `${cause === "" ? error.message : cause}.`;
}
