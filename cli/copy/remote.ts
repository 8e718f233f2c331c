import type { Clock } from "#server/lib/clock.ts";
import { isJsonObject } from "#contract/json.ts";
import { CommandError } from "../errors.ts";

/** A server of the protocol, spoken to with an API key. */
export type Remote = {
  /**
   * Asks until it is answered. Waits as long as a 429 says, and a little after a failure of the server or the line.
   * Throws `RefusedError` for what a repeat would not mend, and `CommandError` for what ends the whole copy: a key that
   * does not count, a server that cannot be reached.
   */
  ask(method: "GET" | "POST" | "PUT", path: string, request?: RemoteRequest): Promise<RemoteAnswer>;
};

export type RemoteRequest = {
  query?: Record<string, string | undefined>;
  body?: object;
  /** In whose workspace the key acts; absent for what a project's key reads as a whole. */
  workspace?: string | undefined;
};

export type RemoteAnswer = { status: number; body: unknown };

/** The server understood and said no. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** 2 min: one message may have 8 MiB, on a slow line. */
const silenceMs = 120_000;
/** A server or a line that fails this often in a row is not coming back while anyone waits. */
const failuresMax = 6;
/** Being told to wait is no failure, but 100 times in a row is a limit that this copy cannot live under. */
const waitsMax = 100;

export function createRemote(options: {
  /** How people are told of it: `the source`, `this server`. */
  name: string;
  baseUrl: string;
  key: string;
  /** The argument that the key came from. */
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
    return await fetch(url, {
      method,
      headers: {
        Authorization: `Bearer ${options.key}`,
        "Content-Type": "application/json",
        "Aui-User-Id": options.user,
        ...(workspace === undefined ? {} : { "Aui-Workspace-Id": workspace }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(silenceMs),
    });
  }

  function read(status: number, text: string, place: string): RemoteAnswer {
    const body = parsed(text);
    if (status < 300) {
      if (body === undefined && text.trim() !== "")
        throw new CommandError(
          `${name} ${baseUrl} answered ${place} with something that is not JSON. Is this the address of the chat service?`,
        );
      return { status, body };
    }
    const said = sentenceOf(body) ?? `status ${status}`;
    if (status === 401 || status === 403)
      throw new CommandError(`${options.keyOption}: ${name} ${baseUrl} refused the key: ${said}`);
    throw new RefusedError(status, `${place}: ${said}`);
  }

  return {
    async ask(method, path, request = {}) {
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
                `${name} ${baseUrl} limits this key too much to go on. Run it again later.`,
              );
            const waitMs = retryAfterMs(response.headers.get("Retry-After"), clock.now()) ?? pauseMs(waits);
            note(`${name} asks to wait ${Math.ceil(waitMs / 1000)} s.`);
            await clock.sleep(waitMs);
            continue;
          }
          if (response.status < 500) return read(response.status, text, place);
          failure = sentenceOf(parsed(text)) ?? `status ${response.status}`;
        } catch (error) {
          if (error instanceof RefusedError || error instanceof CommandError) throw error;
          failure = causeOf(error);
        }
        if (++failures >= failuresMax)
          throw new CommandError(
            `${name} ${baseUrl} cannot be used: ${failure} What was copied stays; run it again to go on.`,
          );
        await clock.sleep(pauseMs(failures));
      }
    },
  };
}

/** The address of a service as people write it: without what the protocol's paths begin with. Throws what is told as a wrong argument. */
export function serviceAddress(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new CommandError(`"${text}" is no address. Write it as https://chat.example.org`);
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "").replace(/\/v1$/, "");
}

/** 1 s, then twice as long each time, up to 30 s. */
function pauseMs(times: number): number {
  return Math.min(1_000 * 2 ** (times - 1), 30_000);
}

/** Seconds or a date, as HTTP has it; at most an hour. */
function retryAfterMs(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined;
  const waitMs = /^\d+$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - nowMs;
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(waitMs, 0), 3_600_000);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function sentenceOf(body: unknown): string | undefined {
  if (!isJsonObject(body)) return undefined;
  const said = typeof body.message === "string" ? body.message : body.error;
  return typeof said === "string" && said !== "" ? said : undefined;
}

function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? error.cause.message : "";
  return `${cause === "" ? error.message : cause}.`;
}
