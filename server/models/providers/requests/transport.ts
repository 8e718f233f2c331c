import * as http from "node:http";
import * as https from "node:https";
import { isIP } from "node:net";
import { classifyAddress } from "#server/fetch/addresses.ts";
import { ForbiddenAddressError } from "#server/fetch/connect.ts";
import { hostOf, type OutgoingProxy, type TunnelOptions } from "#server/fetch/outgoing-proxy.ts";
import { publicAddressOf } from "#server/fetch/public-address.ts";
import { ModelError } from "../../model.ts";
import { createEventReader, doneEvent, readBody, readErrorBody, type EventReader } from "./event-reader.ts";
import type { Watchdog } from "./watchdog.ts";

/**
 * The HTTP side of one request of the SDK. The SDK builds the request and reads error responses. Of an accepted response
 * it gets only the events that are passed to it. `fetch` alone would not limit the size of lines, measure silence, slow
 * down a fast provider, or read responses that are not streamed.
 */
export type Transport = {
  /** For the SDK. Follows no redirects: the key and the conversation must not reach another host. */
  fetch: typeof fetch;
  /**
   * The data of the events that arrived since the last call. Waits if there are none; empty at the end. Only if
   * `areEventsRead`.
   */
  nextEvents(): Promise<string[]>;
  /** Passes these events and all later ones to the SDK. Call it once, and `nextEvents` no more. */
  passToSdk(events: string[]): void;
  /** The event after which the answer is complete, or `[DONE]`; `undefined` until the SDK got it. */
  lastEvent(): string | undefined;
};

type TransportOptions = {
  areEventsRead?: boolean;
  /** Whether the answer is complete after this event, whatever happens to the connection. */
  isLastEvent?: ((data: string) => boolean) | undefined;
  /** Changes or drops events for the SDK. */
  filterEvent?: ((data: string) => string | undefined) | undefined;
  /** The SDK gets the response as it is, up to 8 MiB, instead of as events. */
  isUnstreamed?: boolean;
  /** Sends nothing to an address outside of the operator's own network. */
  localOnly: boolean;
  /** Sends nothing to an address that is not on the public internet. */
  publicOnly: boolean;
  /** Not used for requests that must stay in the operator's own network. */
  proxy?: OutgoingProxy | undefined;
  onSent: (sent: Sent) => void;
};

/** A request that was sent, and the address that it was sent to; empty if a proxy has sent it on. */
export type Sent = { host: string; address: string; body: string };

/**
 * `areEventsRead` is whether the first events are read with `nextEvents`. Otherwise the SDK gets all of them. `onSent` is
 * called when the request was handed to the connection.
 */
export function createTransport(
  watchdog: Watchdog,
  {
    areEventsRead = false,
    isLastEvent,
    filterEvent = (data) => data,
    isUnstreamed = false,
    localOnly,
    publicOnly,
    proxy,
    onSent,
  }: TransportOptions,
): Transport {
  const firstForSdk = Promise.withResolvers<string[]>();
  let reader: EventReader | undefined;
  let lastEvent: string | undefined;

  function forSdk(data: string): string {
    const filtered = filterEvent(data);
    return filtered === undefined ? "" : toEvent(filtered);
  }

  function streamForSdk(reader: EventReader): ReadableStream<Uint8Array> {
    const encoder = new TextEncoder();
    let started = !areEventsRead;
    const next = async () => {
      const events = (started ? await reader.next() : await firstForSdk.promise) ?? [];
      started = true;
      lastEvent ??= isLastEvent && events.find(isLastEvent);
      if (events.includes(doneEvent)) lastEvent ??= doneEvent;
      return events;
    };
    return new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          for (;;) {
            const events = await next().catch((error: unknown) => {
              if (lastEvent !== undefined && !watchdog.signal.aborted) return [];
              throw error;
            });
            if (events.length === 0) return controller.close();
            const text = events.map(forSdk).join("");
            if (text !== "") return controller.enqueue(encoder.encode(text));
          }
        },
      },
      { highWaterMark: 0 },
    );
  }

  return {
    async fetch(input, init) {
      if (typeof input !== "string" || typeof init?.body !== "string")
        throw new TypeError("the SDK sent a request in an unknown form");
      const { body } = init;
      const response = await post(input, {
        headers: Object.fromEntries(new Headers(init.headers)),
        body,
        signal: watchdog.signal,
        localOnly,
        publicOnly,
        agent: localOnly ? undefined : proxy?.agentFor(new URL(input), publicOnly),
        onSent: (address) => onSent({ host: new URL(input).host, address, body }),
      });
      watchdog.onBytes();
      const status = response.statusCode ?? 0;
      if (status >= 300 && status < 400) {
        response.destroy();
        throw new Error(`the provider redirects to another URL, status ${status}: check the base URL`);
      }
      if (status >= 400 || isUnstreamed)
        return new Response(await (status >= 400 ? readErrorBody : readBody)(response, watchdog), {
          status: Math.min(status, 599),
          headers: singleHeaders(response.headers),
        });
      reader = createEventReader(response, watchdog);
      return new Response(streamForSdk(reader), { headers: { "content-type": "text/event-stream" } });
    },
    nextEvents: async () => (await reader?.next()) ?? [],
    passToSdk: (events) => firstForSdk.resolve(events),
    lastEvent: () => lastEvent,
  };
}

function toEvent(data: string): string {
  return `data: ${data.replaceAll("\n", "\ndata: ")}\n\n`;
}

function singleHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
  );
}

/** A person waits for the answer. */
const connectTimeoutMs = 10_000;

type Post = {
  headers: Record<string, string>;
  body: string;
  signal: AbortSignal;
  localOnly: boolean;
  publicOnly: boolean;
  /** That of the proxy. */
  agent: http.Agent | undefined;
  onSent: (address: string) => void;
};

/**
 * Sends a POST request and resolves when the response headers arrive. Node's HTTP client takes half the time per chunk
 * that `fetch` takes, whose bodies are web streams. Follows no redirects and requests no compression. Rejects with the
 * system's error if the provider cannot be reached.
 */
async function post(
  url: string,
  { headers, body, signal, localOnly, publicOnly, agent, onSent }: Post,
): Promise<http.IncomingMessage> {
  const isEncrypted = url.startsWith("https:");
  const { request: sendRequest } = isEncrypted ? https : http;
  const through: TunnelOptions | undefined = agent && {
    agent,
    tunnelSignal: signal,
    ...(publicOnly ? await atPublicAddress(new URL(url), signal) : {}),
  };
  return await new Promise((resolve, reject) => {
    const request = sendRequest(url, {
      ...through,
      method: "POST",
      headers: { ...headers, "accept-encoding": "identity", ...(through && { host: new URL(url).host }) },
      signal,
    });
    request.once("response", resolve);
    // Not `once`: an error after the response started must have a listener. The response reports it too.
    request.on("error", reject);
    request.once("socket", (socket) => {
      const send = (): void => {
        const address = socket.remoteAddress ?? "";
        const kind = classifyAddress(address);
        // Before the check, not even the headers are written.
        if (localOnly && kind !== "own") return void request.destroy(new ModelError("model-not-local"));
        if (publicOnly && agent === undefined && kind !== "public")
          return void request.destroy(new ModelError("provider-private"));
        request.end(body);
        onSent(agent === undefined ? address : "");
      };
      if (!socket.connecting) return send();
      const timer = setTimeout(
        () => request.destroy(Object.assign(new Error("could not connect"), { code: "ETIMEDOUT" })),
        connectTimeoutMs,
      );
      const clear = () => clearTimeout(timer);
      const connected = isEncrypted ? "secureConnect" : "connect";
      socket.once(connected, clear).once(connected, send).once("close", clear);
    });
  });
}

/** The proxy connects to an address that is checked here, because it may be in the operator's own network itself. */
async function atPublicAddress(url: URL, signal: AbortSignal): Promise<https.RequestOptions> {
  try {
    const host = hostOf(url);
    const address = await publicAddressOf(url, signal);
    return { hostname: address, ...(isIP(host) === 0 ? { servername: host } : {}) };
  } catch (error) {
    throw error instanceof ForbiddenAddressError
      ? new ModelError("provider-private", { cause: error })
      : error;
  }
}
